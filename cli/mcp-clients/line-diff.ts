/** Lines shown before and after a change. */
const CONTEXT = 2;

/**
 * Returns the lines that differ, with `-` and `+`, and some lines around them. The texts differ in few places: lines are
 * compared one by one in between.
 */
export function diffLines(before: string, after: string): string[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  const changed = compare(old.slice(start, old.length - end), next.slice(start, next.length - end));
  return [
    ...old.slice(Math.max(0, start - CONTEXT), start).map((line) => `  ${line}`),
    ...changed,
    ...old.slice(old.length - end, old.length - end + CONTEXT).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Marks the lines of two texts by their longest common subsequence. */
function compare(old: readonly string[], next: readonly string[]): string[] {
  const common = commonLengths(old, next);
  const at = (row: number, column: number) => common[row]?.[column] ?? 0;
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < next.length) {
    if (old[row] === next[column]) {
      lines.push(`  ${old[row]}`);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push(`- ${old[row]}`);
      row += 1;
    } else {
      lines.push(`+ ${next[column]}`);
      column += 1;
    }
  }
  return [...lines, ...old.slice(row).map((line) => `- ${line}`), ...next.slice(column).map((line) => `+ ${line}`)];
}

/** Returns the number of lines that the rests of two texts have in common, from each pair of lines on. */
function commonLengths(old: readonly string[], next: readonly string[]): number[][] {
  const common = [...old, ''].map(() => [...next, ''].map(() => 0));
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const [here = [], below = []] = [common[row], common[row + 1]];
    for (let column = next.length - 1; column >= 0; column -= 1) {
      const isEqual = old[row] === next[column];
      here[column] = isEqual ? (below[column + 1] ?? 0) + 1 : Math.max(below[column] ?? 0, here[column + 1] ?? 0);
    }
  }
  return common;
}
