/** An entry of the navigation: a page of the site. */
export interface Entry {
  title: string;
  /** Name of the page. */
  name: string;
}

export interface Group {
  title: string;
  entries: readonly Entry[];
}

const TABLE = /^\| (?<title>[^|]+) \|[^\n]*\n\|[-|]+\|\n(?<rows>(?:\|[^\n]*\n?)+)/gm;
const ROW = /^\| \[[^\]]+\]\((?<target>[^)]+)\)/gm;

/**
 * Reads the groups of pages from the tables of docs/README.md, so that its readers and the site see the same order.
 *
 * @param entryOf returns the entry of the page that a link of the index leads to
 */
export function groupsOf(index: string, entryOf: (target: string) => Entry): Group[] {
  return Array.from(index.matchAll(TABLE), ({ groups: table = {} }) => ({
    title: table.title ?? '',
    entries: Array.from((table.rows ?? '').matchAll(ROW), ({ groups: row = {} }) => entryOf(row.target ?? '')),
  }));
}
