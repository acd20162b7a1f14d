import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { countNormalizingSteps } from '../../testing/fixtures/normalizing-steps.js';
import { fillTemplate, pick, seededRandom } from '../../testing/fixtures/random-text.js';
import { hasApiKey } from './api-keys.js';
import { Effort, ScanEffortError } from './effort.js';
import { hasEmail } from './emails.js';
import { KEY_FORMATS } from './key-formats.js';
import { hasPaymentCard } from './payment-cards.js';
import { scanTexts, textsOf } from './scan.js';

const KEY = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const LENGTH = 100_000;
/** Per code unit. */
const MAX_NORMALIZING_STEPS = 600;

describe('scanTexts', () => {
  test('returns each kind once, always in the same order', () => {
    const texts = ['ana@example.com', KEY, 'bob@example.com', '4111 1111 1111 1111', KEY];

    expect(scanTexts(texts)).toEqual(['api_key', 'payment_card', 'email']);
    expect(scanTexts([])).toEqual([]);
  });

  test.each([
    { sign: 'fullwidth', disguise: (text: string) => text.replace(/[!-~]/g, (char) => moved(char, 0xfee0)) },
    { sign: 'U+034F', disguise: (text: string) => text.split('').join('\u034f') },
    { sign: 'U+202E', disguise: (text: string) => text.split('').join('\u202e') },
    { sign: 'U+FE0F', disguise: (text: string) => text.split('').join('\ufe0f') },
    { sign: 'tag characters', disguise: (text: string) => text.split('').join('\u{e0041}') },
    { sign: 'Hangul fillers', disguise: (text: string) => text.split('').join('\u3164') },
  ])('detects an address and a card number that $sign disguise', ({ disguise }) => {
    expect(scanTexts([disguise('ana@example.com')])).toEqual(['email']);
    expect(scanTexts([disguise('4111111111111111')])).toEqual(['payment_card']);
  });

  test('wrongly rejects at most one in a thousand of 10,000 harmless texts', () => {
    const random = seededRandom(20_260_302);
    const texts = Array.from({ length: 10_000 }, () => harmless(random));

    const refused = texts.filter((text) => scanTexts([text]).length > 0);

    expect(refused.length, refused.join('\n')).toBeLessThanOrEqual(10);
  });
});

describe('textsOf', () => {
  test('returns the content, and the keys and values of the metadata at every level', () => {
    const metadata = { a: 'b', c: { d: ['e', { f: 4111111111111111 }], g: true, h: null } };

    expect([...textsOf('text', metadata)]).toEqual([
      'text',
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      '4111111111111111',
      'g',
      'h',
    ]);
  });

  test('returns nothing for fields that a write omits', () => {
    expect([...textsOf(undefined, undefined)]).toEqual([]);
  });
});

describe('100,000 hostile characters', () => {
  const pieces = [
    ['letters', 'a'],
    ['at signs', '@'],
    ['almost addresses', 'a@'],
    ['long local parts', `${'a'.repeat(64)}@`],
    ['long domains', `@${'a.'.repeat(126)}`],
    ['labels of one letter', 'a@b.'],
    ['digits', '4'],
    ['groups of digits', '4111 '],
    ['cards with a wrong check digit', '4111 1111 1111 1112 '],
    ['digits by pairs', '41 '],
    ['characters beyond ASCII', '用@'],
    ['invisible characters', 'a\u200b'],
    ['starts of private keys', '-----BEGIN '],
    ['numbers of bots', '123456789:AA'],
    ['claims of tokens', '.eyJ'],
    ['tokens with a short signature', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.abc '],
    ['cards of thirteen digits without a word', '4222222222222 '],
    ...KEY_FORMATS.flatMap(({ prefixes }) => prefixes.map((prefix) => [prefix, prefix] as const)),
    ...KEY_FORMATS.map(({ issuer, prefixes: [prefix = ''], length }) => {
      const short = 'a'.repeat(Math.max(1, length.min - 1));
      return [`${issuer} one character short`, `${prefix}${short} `] as const;
    }),
  ] as const;

  test.each(pieces)('of %s are scanned in linear steps', (_, piece) => {
    const half = stepsFor(piece, LENGTH / 2);
    const whole = stepsFor(piece, LENGTH);

    expect(whole).toBeLessThanOrEqual(2.1 * half + 1_000);
    expect(whole).toBeLessThanOrEqual(48 * LENGTH);
  });
});

test.each(['\ufdfa', '\u3316', '\uff9e\u0316', `${'\u0300\u0316'.repeat(15)}\uff9e`, '\u{e0041}a', '４'])(
  'a text of "%s", which NFKD expands or sorts, is scanned in linear steps',
  (piece) => {
    const steps = countNormalizingSteps();

    scanTexts([piece.repeat(LENGTH / piece.length)]);

    // Normalizing the whole text at once takes up to 100,000 steps for each code unit.
    expect(steps()).toBeLessThanOrEqual(MAX_NORMALIZING_STEPS * LENGTH);
  },
);

describe('Effort', () => {
  test('fails if a scan reads a text repeatedly', () => {
    const effort = new Effort(1_000);

    const again = () => {
      for (let round = 0; round < 1_000; round++) effort.spend(1_000);
    };

    expect(again).toThrow(ScanEffortError);
  });
});

function stepsFor(piece: string, length: number): number {
  const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const effort = new Effort(text.length);
  for (const rule of [hasApiKey, hasPaymentCard, hasEmail]) rule(text, effort);
  return effort.steps;
}

const WORDS = `deploy the service on friday after review and ask the team before you rotate a key because token limits
  differ per region while sk and desk are words that memory tests like to see in prose with numbers such as 42 or 1,000
  and times like 09:15 or versions like 3.14.159`.split(/\s+/);

const CODE = [
  'const total = items.reduce((sum, { price }) => sum + price * 1.2, 0);',
  'import { readFile } from "node:fs/promises";',
  'SELECT id, content FROM memories WHERE org = ?1 AND updated_at > ?2 ORDER BY updated_at LIMIT 100',
  '@decorator\ndef scan(text: str) -> list[str]:\n    return [t for t in text.split("@") if t]',
  'git clone git@github.com:owner/repository.git && npm install left-pad@1.3.0',
  'docker run -p 8080:8080 registry.example/app@sha256:{x64}',
  'y = A@B.T + bias[0:4096]  # 4096 4096 4096',
  'curl -s https://api.example.test/v1/items/{d8}?page={d2}',
  'key = os.environ["API_KEY"]  # never write keys into code: sk-..., ghp_..., AKIA...',
  '{"id":"{x24}","n":{d9},"ok":true,"ratio":0.{d16}}',
  '.icon { background: url(icon@2x.png); width: {d2}px }',
];

const HARMLESS: readonly ((random: () => number) => string)[] = [
  (random) => fillTemplate('{x8}-{x4}-7{x3}-a{x3}-{x12}', random),
  (random) => createHash('sha256').update(String(random())).digest('hex'),
  (random) => createHash('sha1').update(String(random())).digest('hex'),
  (random) => createHash('md5').update(String(random())).digest('hex').toUpperCase(),
  (random) => fillTemplate('{s200}', random),
  (random) => fillTemplate('{b200}', random),
  (random) => String(1_500_000_000_000 + Math.floor(random() * 5e11)),
  (random) => String((1_500_000_000_000 + Math.floor(random() * 5e11)) * 1_000),
  (random) => new Date(1.5e12 + random() * 5e11).toISOString(),
  (random) => String(random()),
  (random) => fillTemplate('+{d2} {d3} {d4} {d4}', random),
  (random) => fillTemplate('10.{d2}.{d2}.{d2}:{d4} took {d3}.{d3} ms', random),
  (random) => fillTemplate(pick(CODE, random), random),
  (random) => Array.from({ length: 40 }, () => pick(WORDS, random)).join(' '),
];

function harmless(random: () => number): string {
  return pick(HARMLESS, random)(random);
}

function moved(char: string, by: number): string {
  return String.fromCodePoint(char.charCodeAt(0) + by);
}
