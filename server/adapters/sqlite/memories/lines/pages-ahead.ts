import type { LinesQuery, MemoryLines } from '../../../../ports/memory-reader.js';

/** Maximum number of pages. The oldest is dropped for a new one. */
const MAX_PAGES = 4;

interface PageAhead {
  query: string;
  page: Promise<MemoryLines>;
}

/**
 * Pages that were read before a client requested them, at most one for each organization. A commit that writes an
 * organization drops its page, also one that is still being read. So a page always has the committed state.
 */
export class PagesAhead {
  /** By the key of the organization. */
  readonly #pages = new Map<number, PageAhead>();
  /** Organizations with a unit in the transaction that is open. */
  readonly #written = new Set<number>();

  /** Keeps a page until it is taken or dropped. */
  add(org: number, query: LinesQuery, page: Promise<MemoryLines>): void {
    this.#drop(org);
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= MAX_PAGES) this.#drop(oldest);
    this.#pages.set(org, { query: keyOf(query), page });
    // A page that nobody takes fails unnoticed.
    page.catch(() => this.#forget(org, page));
  }

  /** Removes and returns the page of a query, if it was read ahead. */
  take(org: number, query: LinesQuery): Promise<MemoryLines> | undefined {
    const ahead = this.#pages.get(org);
    if (ahead?.query !== keyOf(query)) return undefined;
    this.#pages.delete(org);
    return ahead.page;
  }

  /** Called when a unit of work of an organization begins. */
  unitBegins(org: number): void {
    this.#written.add(org);
  }

  /** Called when the open transaction has been committed or rolled back, before anything else reads. */
  transactionEnded(): void {
    for (const org of this.#written) this.#drop(org);
    this.#written.clear();
  }

  #drop(org: number): void {
    const ahead = this.#pages.get(org);
    this.#pages.delete(org);
    ahead?.page.then(
      ({ release }) => release?.(),
      () => undefined,
    );
  }

  #forget(org: number, page: Promise<MemoryLines>): void {
    if (this.#pages.get(org)?.page === page) this.#pages.delete(org);
  }
}

function keyOf({ filter, includeDeleted, order, limit, maxBytes, since, until, after }: LinesQuery): string {
  return JSON.stringify([filter, includeDeleted, order, limit, maxBytes, since, until, after?.at, after?.id]);
}
