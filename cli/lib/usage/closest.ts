/** Longest words in which two edits are still a typing error. */
const LONG = 5;

/** Returns the candidate that a mistyped text most likely stands for, or undefined if none is close. */
export function closest(text: string, candidates: Iterable<string>): string | undefined {
  const most = text.length >= LONG ? 2 : 1;
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(text, candidate);
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Counts the insertions, deletions, substitutions and swaps of neighbours between two texts. */
export function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const costs = [row];
    for (let column = 1; column <= other.length; column += 1) {
      costs.push(cheapest(rows, costs, { one, other, row, column }));
    }
    rows.push(costs);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

interface Cell {
  one: string;
  other: string;
  row: number;
  column: number;
}

function cheapest(rows: readonly number[][], costs: readonly number[], { one, other, row, column }: Cell): number {
  const at = (r: number, c: number): number => (r === row ? costs : rows[r])?.[c] ?? Number.POSITIVE_INFINITY;
  const isEqual = one[row - 1] === other[column - 1];
  const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
  return Math.min(
    at(row - 1, column) + 1,
    at(row, column - 1) + 1,
    at(row - 1, column - 1) + (isEqual ? 0 : 1),
    isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
  );
}
