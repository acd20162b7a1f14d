import { spawnSync } from 'node:child_process';
import type { SearchRequest, SearchResult } from '@memory-service/sdk';
import { expect, test } from 'vitest';
import { cliCode, samplesOf } from './code-samples.js';
import { excerptOf } from './excerpt.js';
import { movesBetween } from './runs.js';
import { DEFAULTS, requestOf, settingsOf, writeSettings } from './settings.js';

const HOSTILE = '-it\'s $HOME `id` "x" \\ !\nnext';
const REQUEST: SearchRequest = {
  query: HOSTILE,
  mode: 'hybrid',
  limit: 3,
  minScore: 0.25,
  recencyWeight: 0.5,
  recencyHalflifeDays: 7,
  exact: true,
  includeDeleted: true,
  filter: { kind: "it's", subjectKey: -7, match: { 'a key': HOSTILE, done: true } },
};

test('an address holds all settings and leaves out defaults', () => {
  const settings = { ...DEFAULTS, ...REQUEST, exact: true, includeDeleted: true };
  const parameters = new URLSearchParams('tab=code&limit=9');
  writeSettings(settings, parameters);

  expect(settingsOf(Object.fromEntries(parameters))).toEqual(settings);
  writeSettings(DEFAULTS, parameters);
  expect(parameters.toString()).toBe('tab=code');
});

test.each<Record<string, string>>([
  { limit: '51', mode: 'other', minScore: '-1', recencyWeight: 'much', recencyHalflifeDays: '0', filter: '{' },
  { limit: '', minScore: '', exact: 'yes' },
])('values that are not valid become defaults: %j', (parameters) => {
  expect(settingsOf(parameters)).toEqual(DEFAULTS);
});

test('a search by words leaves out what it rejects', () => {
  const settings = { ...DEFAULTS, query: 'q', mode: 'keyword', minScore: 0.5, exact: true } as const;

  expect(requestOf(settings)).toEqual({ query: 'q', mode: 'keyword' });
});

test('the command passes every value unchanged through a shell', () => {
  const { stdout } = spawnSync('sh', ['-c', `memory() { printf '%s\\0' "$@"; }; ${cliCode(REQUEST)}`], {
    encoding: 'utf8',
  });

  expect(stdout.split('\0').slice(0, -1)).toEqual([
    'search',
    '--mode=hybrid',
    '--limit=3',
    '--min-score=0.25',
    '--recency=0.5',
    '--halflife=7',
    '--exact',
    '--include-deleted',
    "--kind=it's",
    '--subject=-7',
    `--filter=${JSON.stringify({ match: { 'a key': HOSTILE, done: true } })}`,
    '--',
    HOSTILE,
  ]);
});

test('curl sends the request unchanged', () => {
  const code = sample('curl', REQUEST);
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; MEMORY_TOKEN=secret; ${code}`], {
    encoding: 'utf8',
  });

  const sent = stdout.split('\0');
  expect(sent.slice(0, 4)).toEqual([
    '-s',
    'https://memory.test/api/memories/search',
    '-H',
    'Authorization: Bearer secret',
  ]);
  expect(JSON.parse(sent.at(-2) ?? '')).toEqual(REQUEST);
});

test('the script has the request as a literal', () => {
  const request = { ...REQUEST, filter: { match: { 'a key': HOSTILE, ...JSON.parse('{"__proto__":"x"}') } } };
  const [, literal] = /client\.search\((.*)\);$/s.exec(sample('SDK (TypeScript)', request)) ?? [];

  expect(new Function(`return ${literal}`)()).toEqual(request);
});

test('an excerpt has the first marked word of a long content', () => {
  const content = `${'a '.repeat(5_000)}needle${' b'.repeat(5_000)}`;

  expect(excerptOf(content, ['needle'])).toMatch(/^… ?(?:a ){39,40}needle(?: b)+…$/);
  expect(excerptOf(content, []).length).toBe(1_001);
  expect(excerptOf('short needle', ['needle', 'other'])).toBe('short needle');
});

test('a memory moves by the places between two runs', () => {
  const moves = movesBetween([result('a'), result('b'), result('c')], [result('c'), result('d'), result('b')]);

  expect([...moves]).toEqual([
    ['c', 2],
    ['d', 'new'],
    ['b', -1],
  ]);
});

function sample(label: string, request: SearchRequest): string {
  return samplesOf(request, 'https://memory.test', 'org').find((one) => one.label === label)?.code ?? '';
}

function result(id: string): SearchResult {
  const time = '2026-03-01T00:00:00.000000Z';
  return { id, content: id, metadata: {}, createdAt: time, updatedAt: time, score: 0.5 };
}
