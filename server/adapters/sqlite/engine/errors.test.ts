import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../ports/store.js';
import { isFatal, isUniqueViolation, translated } from './errors.js';

describe('isFatal', () => {
  test.each([
    ['a failed fsync', 1_034, true],
    ['a failed fsync of the folder', 1_290, true],
    ['a damaged page', 11, true],
    ['a damaged index', 779, true],
    ['a file that is no database', 26, true],
    ['a full disk', 13, false],
    ['a failed write', 778, false],
    ['a busy database', 5, false],
    ['a duplicate', 2_067, false],
  ])('of %s is as it should be', (_, errcode, fatal) => {
    expect(isFatal(engineError(errcode))).toBe(fatal);
  });
});

describe('translated', () => {
  test.each([5, 6, 10, 11, 13, 26, 261, 778, 1_034])('makes of %i that the store is unavailable', (errcode) => {
    const error = engineError(errcode);

    expect(translated(error)).toMatchObject({ name: 'StoreUnavailableError', cause: error });
    expect(translated(error)).toBeInstanceOf(StoreUnavailableError);
  });

  test('leaves faults of our own as they are', () => {
    for (const error of [engineError(1), engineError(2_067), engineError(19), new TypeError('x'), 'text', undefined]) {
      expect(translated(error)).toBe(error);
    }
  });
});

describe('isUniqueViolation', () => {
  test('knows a broken unique index from other constraints', () => {
    expect([2_067, 1_299, 787, 1_555].map((errcode) => isUniqueViolation(engineError(errcode)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

function engineError(errcode: number): Error {
  return Object.assign(new Error('as the engine says'), { errcode });
}
