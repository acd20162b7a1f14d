export interface Piece {
  text: string;
  isMarked: boolean;
}

/** Splits a text at every occurrence of some of its words. */
export function splitMarks(text: string, words: readonly string[]): Piece[] {
  const wanted = words.filter((word) => word !== '');
  if (wanted.length === 0) return [{ text, isMarked: false }];
  // The longest first, so that a word does not end at a shorter one that begins it.
  const pattern = wanted
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
  return text
    .split(new RegExp(`(${pattern})`, 'u'))
    .map((piece, at) => ({ text: piece, isMarked: at % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}
