import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import type { LinesQuery, MemoryLines } from '../../../../ports/memory-reader.js';
import { PagesAhead } from './pages-ahead.js';

const QUERY: LinesQuery = { filter: NO_FILTER, includeDeleted: false, order: 'oldest', limit: 100, maxBytes: 1_000 };

describe('pages ahead', () => {
  test('are taken once, by their organization and query', async () => {
    const ahead = new PagesAhead();
    const page = aPage();
    ahead.add(1, QUERY, Promise.resolve(page));

    expect(ahead.take(2, QUERY)).toBeUndefined();
    expect(ahead.take(1, { ...QUERY, limit: 101 })).toBeUndefined();
    expect(ahead.take(1, { ...QUERY, after: { at: 1, id: 'a' } })).toBeUndefined();
    expect(ahead.take(1, { ...QUERY, includeDeleted: true })).toBeUndefined();
    expect(await ahead.take(1, { ...QUERY })).toBe(page);
    expect(ahead.take(1, QUERY)).toBeUndefined();
    expect(page.releases).toBe(0);
  });

  test('are dropped when a transaction with a unit of their organization ends', async () => {
    const ahead = new PagesAhead();
    const [written, other] = [aPage(), aPage()];
    ahead.unitBegins(1);
    ahead.add(1, QUERY, Promise.resolve(written));
    ahead.add(2, QUERY, Promise.resolve(other));

    ahead.transactionEnded();

    expect(ahead.take(1, QUERY)).toBeUndefined();
    expect(await ahead.take(2, QUERY)).toBe(other);
    expect([written.releases, other.releases]).toEqual([1, 0]);
  });

  test('are kept by the end of a later transaction without such a unit', async () => {
    const ahead = new PagesAhead();
    ahead.unitBegins(1);
    ahead.transactionEnded();
    ahead.add(1, QUERY, Promise.resolve(aPage()));

    ahead.transactionEnded();

    expect(ahead.take(1, QUERY)).toBeDefined();
  });

  test('are at most four, one for each organization', async () => {
    const ahead = new PagesAhead();
    const pages = [1, 2, 3, 4, 5, 5].map((org) => {
      const page = aPage();
      ahead.add(org, QUERY, Promise.resolve(page));
      return page;
    });
    await Promise.resolve();

    expect(pages.map(({ releases }) => releases)).toEqual([1, 0, 0, 0, 1, 0]);
    expect(ahead.take(1, QUERY)).toBeUndefined();
    expect(await ahead.take(5, QUERY)).toBe(pages.at(-1));
  });

  test('are forgotten if they could not be read', async () => {
    const ahead = new PagesAhead();
    ahead.add(1, QUERY, Promise.reject(new Error('no')));
    await Promise.resolve();
    await Promise.resolve();

    expect(ahead.take(1, QUERY)).toBeUndefined();
  });
});

/** Returns a page that counts its releases. */
function aPage(): MemoryLines & { releases: number } {
  const release = () => {
    page.releases += 1;
  };
  const page = { lines: new Uint8Array(), hasMore: true, releases: 0, release };
  return page;
}
