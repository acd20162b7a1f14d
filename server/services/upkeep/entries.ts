import type { PageQuery, Position } from '../../domain/page.js';

const PAGE_SIZE = 100;

/** Yields every entry of a listing, read in pages. */
export async function* entries<Entry>(
  list: (page: PageQuery) => Promise<Entry[]>,
  positionOf: (entry: Entry) => Position,
): AsyncGenerator<Entry> {
  let page = await list({ limit: PAGE_SIZE });
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    page = await list({ limit: PAGE_SIZE, after: positionOf(last) });
  }
}
