import { describe, expect, test } from 'vitest';
import { TokenUses } from './token-uses.js';

const MINUTE_US = 60_000_000;

describe('TokenUses', () => {
  test('writes the first use of each token, then at most once a minute', () => {
    const { uses, written } = recording();

    uses.note('a', 0);
    uses.note('b', 1);
    uses.note('a', MINUTE_US - 1);
    uses.note('a', MINUTE_US);

    expect(written).toEqual([
      ['a', 0],
      ['b', 1],
      ['a', MINUTE_US],
    ]);
  });

  test('writes the next use of a token if the last write failed', async () => {
    const { uses, written, failing } = recording();
    failing.next = new Error('the disk is full');

    uses.note('a', 0);
    await Promise.resolve();
    uses.note('a', 1);

    expect(written).toEqual([
      ['a', 0],
      ['a', 1],
    ]);
  });
});

function recording() {
  const written: [string, number][] = [];
  const failing: { next?: Error } = {};
  const uses = new TokenUses(async (tokenId, at) => {
    written.push([tokenId, at]);
    const { next } = failing;
    delete failing.next;
    if (next) throw next;
  });
  return { uses, written, failing };
}
