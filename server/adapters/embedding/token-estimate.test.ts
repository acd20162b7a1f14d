import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from './token-estimate.js';

/** Texts with the numbers of tokens that two tokenizers make of them. */
const COUNTED: [kind: string, text: string, cl100k: number, llama2: number][] = [
  [
    'English prose',
    'The platform team deploys every Tuesday at ten, and nobody may merge a change without a review by somebody else. If the deployment fails, the previous release is restored at once.',
    36,
    39,
  ],
  [
    'German prose',
    'Die Bereitstellung läuft jeden Dienstag um zehn Uhr und wird von der Plattformgruppe überwacht; Änderungsanträge müssen vorher genehmigt werden.',
    40,
    42,
  ],
  [
    'Russian prose',
    'Развёртывание происходит каждый вторник в десять часов, и команда платформы следит за ним.',
    39,
    36,
  ],
  ['Greek prose', 'Η ανάπτυξη γίνεται κάθε Τρίτη στις δέκα και η ομάδα πλατφόρμας την παρακολουθεί.', 70, 79],
  ['Hebrew prose', 'הפריסה מתבצעת בכל יום שלישי בשעה עשר וצוות הפלטפורמה עוקב אחריה.', 65, 64],
  ['Arabic prose', 'يتم النشر كل يوم ثلاثاء في الساعة العاشرة ويراقبه فريق المنصة.', 45, 54],
  ['Chinese prose', '部署在每周二上午十点进行，由平台团队负责监控，任何变更都必须事先获得批准。', 44, 57],
  ['Japanese prose', 'デプロイは毎週火曜日の十時に行われ、プラットフォームチームが監視します。', 38, 46],
  ['Thai prose', 'การปรับใช้จะเกิดขึ้นทุกวันอังคารเวลาสิบโมงและทีมแพลตฟอร์มจะคอยดูแล', 64, 72],
  ['Hindi prose', 'परिनियोजन हर मंगलवार को दस बजे होता है और प्लेटफ़ॉर्म टीम इसकी निगरानी करती है।', 81, 87],
  [
    'code',
    'export function divide(items: readonly Item[], max: Size): Batch[] {\n  const batches = [];\n  for (const item of items) {\n    if (item.tokens <= max.tokens) batches.push(item);\n  }\n  return batches;\n}',
    49,
    67,
  ],
  [
    'JSON',
    '{"id":"0193b6c2-7a1e-7c44-9f0e-5b1d2a3c4e5f","score":0.8123,"group":{"documentId":"handbook","others":3},"tags":["a","b"],"deletedAt":null}',
    67,
    77,
  ],
  ['a table of numbers', '12.5;7.25;1024;3.14159;99\n13.75;8.5;2048;2.71828;101\n14.0;9.75;4096;1.41421;103\n', 54, 80],
  [
    'digits',
    '31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679',
    34,
    101,
  ],
  [
    'hexadecimal digits',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08e3b0c44298fc1c149afbf4c8996fb924',
    62,
    87,
  ],
  ['pictographs', '🎉🚀👩‍💻🔥🤷🏽‍♂️', 27, 32],
  ['capitals', 'DO NOT RESTART THE DATABASE WITHOUT ASKING THE OPERATIONS TEAM FIRST', 15, 24],
  ['separators', '-=_-=_-=_-=_-=_-=_-=_-=_-=_-=_', 20, 30],
];

describe('the estimate', () => {
  test.each(COUNTED)('is from nine tenths to three times of the tokens of %s', (_kind, text, ...counts) => {
    const estimate = estimateTokens(text);

    expect(estimate).toBeGreaterThanOrEqual(0.9 * Math.max(...counts));
    expect(estimate).toBeLessThanOrEqual(3 * Math.max(...counts));
  });

  test('does not fall when a text becomes longer', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '-', 'é', '東', '🎉'), maxLength: 100 });

    fc.assert(
      fc.property(texts, texts, (text, more) => {
        expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(estimateTokens(text));
      }),
    );
  });

  test('of no text is 0', () => {
    expect(estimateTokens('')).toBe(0);
  });
});
