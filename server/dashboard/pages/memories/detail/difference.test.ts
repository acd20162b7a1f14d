import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences, type Piece } from './difference.js';

const sideOf = (pieces: readonly Piece[], left: Piece['kind']) =>
  pieces.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join('');

describe('differences', () => {
  test('names the words that changed', () => {
    expect(differences('Deploys run on Fridays at noon.', 'Deploys run on Mondays at noon.')).toEqual([
      { kind: 'same', text: 'Deploys run on ' },
      { kind: 'removed', text: 'Fridays' },
      { kind: 'added', text: 'Mondays' },
      { kind: 'same', text: ' at noon.' },
    ]);
  });

  test('has one piece for equal texts, and none for empty ones', () => {
    expect(differences('one two', 'one two')).toEqual([{ kind: 'same', text: 'one two' }]);
    expect(differences('', '')).toEqual([]);
  });

  test('contains both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = differences(before, after);
        expect([sideOf(pieces, 'added'), sideOf(pieces, 'removed')]).toEqual([before, after]);
      }),
    );
  });

  test('shows long texts without a word in common as removed and added', () => {
    const [before, after] = ['a '.repeat(2_000), 'b\n'.repeat(2_000)];

    expect(differences(before, after).map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });
});
