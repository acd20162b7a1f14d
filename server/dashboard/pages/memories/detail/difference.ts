export interface Piece {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Longer changes are shown as one removal and one addition. Bounds the memory and time of the comparison. */
const MAX_COMPARISONS = 1_000_000;

/** Compares two texts by words. The pieces that are not added make the first text, those not removed the second. */
export function differences(before: string, after: string): Piece[] {
  const [old, current] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, current.length) - start && old.at(-1 - end) === current.at(-1 - end)) end++;
  return joined([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...between(old.slice(start, old.length - end), current.slice(start, current.length - end)),
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ]);
}

/** Finds the longest common subsequence of words. */
function between(old: readonly string[], current: readonly string[]): Piece[] {
  if (old.length * current.length > MAX_COMPARISONS) {
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: current.join('') },
    ];
  }
  const lengthAt = commonLengths(old, current);
  const pieces: Piece[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < current.length) {
    if (old[row] === current[column]) {
      pieces.push({ kind: 'same', text: old[row++] ?? '' });
      column++;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) {
      pieces.push({ kind: 'removed', text: old[row++] ?? '' });
    } else {
      pieces.push({ kind: 'added', text: current[column++] ?? '' });
    }
  }
  return [
    ...pieces,
    { kind: 'removed', text: old.slice(row).join('') },
    { kind: 'added', text: current.slice(column).join('') },
  ];
}

/** Returns the length of the longest common subsequence of the words from each pair of places on. */
function commonLengths(old: readonly string[], current: readonly string[]): (row: number, column: number) => number {
  const width = current.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = current.length - 1; column >= 0; column--) {
      const isSame = old[row] === current[column];
      lengths[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  return at;
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const { kind, text } of pieces) {
    const last = result.at(-1);
    if (text === '') continue;
    if (last?.kind === kind) last.text += text;
    else result.push({ kind, text });
  }
  return result;
}
