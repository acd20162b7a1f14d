/** Maximum number of characters of a content that a result shows. */
const SHOWN = 1_000;
/** Position of the first marked word from which on the excerpt begins later than the content. */
const FIRST_LINES = 300;
/** Characters before the first marked word. */
const LEAD = 80;

/** Cuts a content to a part that has the first of its marked words. */
export function excerptOf(content: string, marked: readonly string[]): string {
  const first = Math.min(...marked.map((word) => content.indexOf(word)).filter((at) => at !== -1));
  const start = Number.isFinite(first) && first > FIRST_LINES ? first - LEAD : 0;
  const shown = content.slice(start, start + SHOWN);
  return `${start > 0 ? '…' : ''}${shown}${start + SHOWN < content.length ? '…' : ''}`;
}
