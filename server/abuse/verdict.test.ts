import { describe, expect, test } from 'vitest';
import type { Answer } from '../testing/app/http-client.js';
import { contractFault } from './contract-fault.js';
import { failures, isWorthRepeating, type Outcome } from './verdict.js';

const GIGABYTE = 1_024 ** 3;

const QUIET: Outcome = {
  name: 'an-attack',
  quiet: [],
  attacked: [{ kind: 'search', ms: 12, status: 200 }],
  gauged: { peak: 200_000_000, loopP99: 4, loopMax: 30 },
  ended: undefined,
  faults: [],
  missed: [],
  notes: [],
  answers: '',
  slowestMs: 0,
};

describe('failures', () => {
  test('are none if the bystander is answered in time', () => {
    expect(failures(QUIET)).toEqual([]);
    expect(isWorthRepeating(QUIET)).toBe(false);
  });

  test.each<[string, Partial<Outcome>]>([
    ['a search of the bystander is refused', { attacked: [{ kind: 'search', ms: 5, status: 503 }] }],
    ['an event of the bystander does not come', { attacked: [{ kind: 'event', ms: 45_000, status: 0 }] }],
    ['a write of the bystander waits for many seconds', { attacked: [{ kind: 'write', ms: 10_001, status: 201 }] }],
    ['the server takes more than 1 GB', { gauged: { ...QUIET.gauged, peak: GIGABYTE + 1 } }],
    ['the attack did not take place', { missed: ['0 tokens, but the attack needs 8'] }],
  ])('report that %s, which a busy machine may explain', (_, seen) => {
    const outcome = { ...QUIET, ...seen };

    expect(failures(outcome)).not.toEqual([]);
    expect(isWorthRepeating(outcome)).toBe(true);
  });

  test.each<[string, Partial<Outcome>]>([
    ['the server ended', { ended: 'SIGABRT' }],
    ['an answer breaks the contract', { faults: ['GET /: 500'] }],
  ])('report that %s, which a busy machine cannot explain', (_, seen) => {
    const outcome = { ...QUIET, ...seen };

    expect(failures(outcome)).toHaveLength(1);
    expect(isWorthRepeating(outcome)).toBe(false);
  });
});

describe('an answer breaks the contract', () => {
  const search = (answer: Partial<Answer>) =>
    contractFault('POST', '/api/memories/search', { status: 200, headers: {}, text: '', body: {}, ...answer });
  const body = { error: 'no' };

  test('if its status is 500', () => {
    expect(search({ status: 500, body })).toContain('500');
  });

  test('if it is a 503 without Retry-After', () => {
    expect(search({ status: 503, body })).toContain('no Retry-After');
    expect(search({ status: 503, body, headers: { 'retry-after': '1' } })).toBeUndefined();
  });

  test('if it is an error without a text', () => {
    expect(search({ status: 422 })).toContain('no error');
  });

  test('if the operation does not document its status', () => {
    expect(search({ status: 409, body })).toContain('searchMemories');
    expect(search({ status: 200 })).toBeUndefined();
  });
});
