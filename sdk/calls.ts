/** What a call came to, with the answer that it came from. */
export interface Answer<T> {
  data: T;
  /** Status, headers and URL. Its body has been read. */
  response: Response;
  /** Names the request in the service's log. */
  requestId: string | undefined;
}

/** A promise of what the service answers, which can also give the answer itself. */
export interface ApiCall<T> extends Promise<T> {
  withResponse(): Promise<Answer<T>>;
}

/**
 * A promise of a page of a list, which can also be iterated: over the items of
 * this page and of all that follow, each read when the one before is used up.
 */
export interface PagedCall<Page, Item> extends ApiCall<Page>, AsyncIterable<Item> {
  pages(): AsyncIterable<Page>;
}

/** What to do with the pages of a list. */
export interface Paging<Page, Item> {
  itemsOf(page: Page): readonly Item[];
  /** The cursor of the page after this one; undefined after the last. */
  cursorAfter(page: Page): string | undefined;
  readPage(cursor: string): ApiCall<Page>;
}

/** Paging of a list whose pages say themselves where the next one begins. */
export function byNextCursor<Page extends { nextCursor?: string }, Item>(
  itemsOf: (page: Page) => readonly Item[],
): Omit<Paging<Page, Item>, 'readPage'> {
  return { itemsOf, cursorAfter: ({ nextCursor }) => nextCursor };
}

export function toApiCall<T>(answer: Promise<Answer<T>>): ApiCall<T> {
  const data = answer.then((answered) => answered.data);
  return Object.assign(data, {
    withResponse: () => {
      // From here on `answer` tells of a failure; nobody may be listening to `data`.
      data.catch(() => undefined);
      return answer;
    },
  });
}

export function toPagedCall<Page, Item>(first: ApiCall<Page>, paging: Paging<Page, Item>): PagedCall<Page, Item> {
  async function* pages(): AsyncGenerator<Page, void, undefined> {
    let page = await first;
    yield page;
    for (let cursor = paging.cursorAfter(page); cursor !== undefined; cursor = paging.cursorAfter(page)) {
      page = await paging.readPage(cursor);
      yield page;
    }
  }

  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* paging.itemsOf(page);
  }

  return Object.assign(first, { pages, [Symbol.asyncIterator]: items });
}
