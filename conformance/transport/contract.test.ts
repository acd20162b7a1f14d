import { describe, expect, test } from 'vitest';
import { Answer } from './answer.js';
import { Contract, type Operation } from './contract.js';

const contract = Contract.load();
const MEMORY = {
  id: '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11',
  content: 'x',
  metadata: {},
  createdAt: '2026-03-02T09:15:04.120331Z',
  updatedAt: '2026-03-02T09:15:04.120331Z',
};
const HEADERS = {
  'content-type': 'application/json',
  'x-request-id': 'one',
  'x-service-version': '0.1.0',
  'ratelimit-policy': '"ingest";q=60;w=60',
  ratelimit: '"ingest";r=59;t=60',
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
};

function faultsOf(status: number, body: unknown, headers: Record<string, string> = HEADERS): string[] {
  const operation = contract.find('POST', '/api/memories') as Operation;
  return contract.faults(operation, new Answer(status, new Headers(headers), JSON.stringify(body)), true);
}

describe('the contract', () => {
  test('takes an answer that it has', () => {
    expect(faultsOf(201, { ...MEMORY, outcome: 'created' })).toEqual([]);
  });

  test.each([
    ['a status that it does not have', 418, { error: 'tea' }, HEADERS, '418'],
    ['a field that is missing', 201, MEMORY, HEADERS, 'outcome'],
    ['a value of another type', 201, { ...MEMORY, outcome: 'created', metadata: 'x' }, HEADERS, '/metadata'],
    ['another media type', 201, {}, { ...HEADERS, 'content-type': 'text/html' }, 'text/html'],
    ['a header that is missing', 201, { ...MEMORY, outcome: 'created' }, without('ratelimit'), 'RateLimit is missing'],
    [
      'a header that is no number',
      201,
      { ...MEMORY, outcome: 'created' },
      { ...HEADERS, 'x-ratelimit-limit': 'x' },
      'X-RateLimit-Limit',
    ],
  ])('finds fault with %s', (_what, status, body, headers, told) => {
    expect(faultsOf(status, body, headers).join('; ')).toContain(told);
  });

  test('looks at every line of an export', () => {
    const operation = contract.find('GET', '/api/memories/export') as Operation;
    const lines = [MEMORY, { ...MEMORY, content: 7 }].map((line) => `${JSON.stringify(line)}\n`).join('');
    const headers = new Headers({ ...HEADERS, 'content-type': 'application/x-ndjson' });

    expect(contract.faults(operation, new Answer(200, headers, lines), true).join('; ')).toContain('line 2: /content');
  });

  test('tells an operation by method and path, those without parameters first', () => {
    expect(contract.find('GET', '/api/memories/export')?.operationId).toBe('exportMemories');
    expect(contract.find('GET', '/api/memories/0198')?.operationId).toBe('getMemory');
    expect(contract.find('DELETE', '/api/memories')).toBeUndefined();
  });
});

function without(name: keyof typeof HEADERS): Record<string, string> {
  return Object.fromEntries(Object.entries(HEADERS).filter(([key]) => key !== name));
}
