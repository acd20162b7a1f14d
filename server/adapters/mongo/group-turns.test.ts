import { describe, expect, test } from 'vitest';
import { NO_SCOPE } from '../../domain/memory/memory.js';
import type { Expected } from '../../ports/unit-of-work.js';
import { canShare } from './group-turns.js';

describe('canShare', () => {
  test.each<[string, number[], boolean]>([
    ['two full batches', [50, 50], true],
    ['three full batches', [50, 50, 50], false],
    ['sixty-four single writes', Array.from({ length: 64 }, () => 1), true],
    ['one unit of any size', [1_000], true],
    ['a small unit beside a large one', [1_000, 1], false],
  ])('%s', (_, sizes, isShared) => {
    expect(canShare(sizes.map(unitOf))).toBe(isShared);
  });
});

function unitOf(writes: number): Expected {
  return {
    writes: Array.from({ length: writes }, (_, n) => ({
      contentHash: `${n}`,
      wordsHash: `${n}`,
      scope: NO_SCOPE,
    })),
  };
}
