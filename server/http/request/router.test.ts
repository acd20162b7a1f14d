import { describe, expect, test } from 'vitest';
import { loadContract } from '../contract/contract.js';
import { Router } from './router.js';

const { operations } = await loadContract();
const router = new Router(operations);

describe('Router', () => {
  test('finds every operation of the document at its own path', () => {
    const found = operations.map(({ method, path }) => router.match(method, path.replace('{id}', 'x')).operation.id);

    expect(found).toEqual(operations.map(({ id }) => id));
  });

  test.each([
    ['a%2Fb', 'a/b'],
    ['%C3%A4', 'ä'],
    ['a+b', 'a+b'],
    ['%zz', '%zz'],
    ['%C3', '%C3'],
    ['a%00b', 'a%00b'],
  ])('reads the parameter %s as %s', (sent, read) => {
    expect(router.match('GET', `/api/memories/${sent}`).path).toEqual({ id: read });
  });

  test('takes a literal path for what it is under every method', () => {
    expect(() => router.match('DELETE', '/api/memories/batch')).toThrow('This path answers POST');
  });
});
