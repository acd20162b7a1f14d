import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import { isDamage, isFatal, isUniqueViolation, reported, reportOf, translated } from './errors.js';

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
  ])('for %s, code %i, returns %s', (_, errcode, fatal) => {
    expect(isFatal(engineError(errcode))).toBe(fatal);
  });
});

describe('an error that the driver throws without its code', () => {
  test.each([
    'database disk image is malformed',
    'malformed database schema (memories)',
    'file is not a database',
    'fts5: corruption found reading blob 1 from table "keywords"',
  ])('is recognized as damage by the message "%s", in the same thread and from another', (message) => {
    for (const error of [codeless(message), reported(reportOf(codeless(message)))]) {
      expect(isDamage(error)).toBe(true);
      expect(isFatal(error)).toBe(true);
      expect(translated(error)).toBeInstanceOf(StoreUnavailableError);
    }
  });

  test('is recognized as damage of the keyword index without a code of its own', () => {
    expect(isFatal(engineError(1, 'invalid fts5 file format (found 7, expected 4 or 5)'))).toBe(true);
  });

  test('is not translated if it has another message or does not come from the engine', () => {
    for (const error of [codeless('malformed JSON'), engineError(1), new Error('database disk image is malformed')]) {
      expect(isFatal(error)).toBe(false);
      expect(translated(error)).toBe(error);
    }
  });
});

describe('translated', () => {
  test.each([5, 6, 10, 11, 26, 261, 778, 1_034])('reports code %i as an unavailable store', (errcode) => {
    const error = engineError(errcode);

    expect(translated(error)).toMatchObject({ name: 'StoreUnavailableError', cause: error });
    expect(translated(error)).toBeInstanceOf(StoreUnavailableError);
  });

  test.each([
    [13, 'at a write'],
    [4_874, 'at the index of the log'],
  ])('reports code %i, for a full disk %s, as a full store', (errcode) => {
    const error = engineError(errcode);

    expect(translated(error)).toMatchObject({ name: 'StoreFullError', cause: error });
    expect(translated(error)).toBeInstanceOf(StoreUnavailableError);
  });

  test('returns other errors unchanged', () => {
    for (const error of [engineError(1), engineError(2_067), engineError(19), new TypeError('x'), 'text', undefined]) {
      expect(translated(error)).toBe(error);
    }
  });
});

describe('isUniqueViolation', () => {
  test('distinguishes a unique violation from violations of other constraints', () => {
    expect([2_067, 1_299, 787, 1_555].map((errcode) => isUniqueViolation(engineError(errcode)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

function engineError(errcode: number, message = 'as the engine says'): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

function codeless(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' });
}
