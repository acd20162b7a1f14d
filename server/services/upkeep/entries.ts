import type { PageQuery, Position } from '../../domain/page.js';

const PAGE = 100;

/** Yields every entry of a listing, read in pages. */
export async function* entries<Entry>(
  list: (page: PageQuery) => Promise<Entry[]>,
  positionOf: (entry: Entry) => Position,
): AsyncGenerator<Entry> {
  let page = await list({ limit: PAGE });
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    page = await list({ limit: PAGE, after: positionOf(last) });
  }
}
