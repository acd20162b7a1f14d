import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toApiError } from './errors.js';
import * as sdk from './index.js';

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return toApiError({ status, headers: new Headers(headers) }, text);
}

const document = parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8'));

/** Statuses of 400 or more that the contract lists for an operation. */
const statuses = Object.values<Record<string, { responses?: object }>>(document.paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ responses = {} }) => Object.keys(responses).map(Number))
  .filter((status) => status >= 400);

test('every error status of the contract has its own class', () => {
  const without = [...new Set(statuses)].filter((status) => answer(status, {}).constructor === sdk.MemoryApiError);

  expect(without).toEqual([]);
});

describe('toApiError', () => {
  test.each([
    [400, sdk.BadRequestError],
    [401, sdk.UnauthenticatedError],
    [402, sdk.EntitlementRequiredError],
    [403, sdk.ForbiddenError],
    [404, sdk.NotFoundError],
    [409, sdk.ConflictError],
    [413, sdk.PayloadTooLargeError],
    [415, sdk.UnsupportedMediaTypeError],
    [422, sdk.UnprocessableError],
    [429, sdk.RateLimitedError],
    [503, sdk.UnavailableError],
  ])('returns an error of its own class for %i, with the name of the class', (status, ErrorOfStatus) => {
    const error = answer(status, { error: 'no', code: 'why' });

    expect(error.constructor).toBe(ErrorOfStatus);
    expect(error).toBeInstanceOf(sdk.MemoryApiError);
    expect(error).toMatchObject({ name: ErrorOfStatus.name, status, message: 'no', code: 'why' });
  });

  test('reads details, headers, request id and the seconds to wait', () => {
    const details = [{ path: 'limit', message: 'must be at most 50' }];

    const error = answer(422, { error: 'no', code: 'c', details }, { 'X-Request-Id': 'r-1', 'Retry-After': '12' });

    expect(error).toMatchObject({ details, requestId: 'r-1', retryAfter: 12 });
    expect(error.headers?.get('Retry-After')).toBe('12');
  });

  test('reads the members of a conflict, a size limit and a cap', () => {
    const conflict = answer(409, { error: 'no', code: 'content_conflict', id: 'm-1' });
    const tooLarge = answer(413, { error: 'no', code: 'batch_too_large', max: 50 });
    const quota = answer(429, { error: 'no', code: 'quota_exceeded', resetsAt: '2026-04-01T00:00:00.000000Z' });

    expect(conflict).toHaveProperty('id', 'm-1');
    expect(conflict).toHaveProperty('count', undefined);
    expect(answer(409, { error: 'no', code: 'count_mismatch', count: 3 })).toHaveProperty('count', 3);
    expect(tooLarge).toHaveProperty('max', 50);
    expect(quota).toHaveProperty('resetsAt', '2026-04-01T00:00:00.000000Z');
    expect(quota.retryAfter).toBeUndefined();
    expect(answer(429, { error: 'no', code: 'quota_exceeded', storageBytes: 5 })).toHaveProperty('storageBytes', 5);
  });

  test('reads the id of the deleted memory that has the key of an upsert', () => {
    const error = answer(404, { error: 'Not found' }, { 'X-Deleted-Memory-Id': 'm-1' });

    expect(error).toHaveProperty('deletedMemoryId', 'm-1');
    expect(answer(404, { error: 'Not found' })).toHaveProperty('deletedMemoryId', undefined);
  });

  test.each(['<html>Bad gateway</html>', '', 'null', '[]', '{"error":7,"code":null,"details":"x"}'])(
    'returns an error of its status for the body %j of a proxy',
    (text) => {
      const error = answer(502, text, { 'Retry-After': 'soon' });

      expect(error.constructor).toBe(sdk.MemoryApiError);
      expect(error).toMatchObject({ status: 502, message: 'the service returned status 502', details: [] });
      expect([error.code, error.requestId, error.retryAfter]).toEqual([undefined, undefined, undefined]);
    },
  );
});
