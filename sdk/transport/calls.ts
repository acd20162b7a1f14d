/** The data of a call with its HTTP response. */
export interface Answer<T> {
  data: T;
  /** Status, headers and URL. Its body has been read. */
  response: Response;
  /** Identifies the request in the service's log. */
  requestId: string | undefined;
}

/** A promise of the data of a response. `withResponse` adds the HTTP response. */
export interface ApiCall<T> extends Promise<T> {
  /**
   * Returns the data with the HTTP response and the request id.
   *
   * @example const { data, response, requestId } = await client.stats().withResponse();
   */
  withResponse(): Promise<Answer<T>>;
}

/**
 * A promise of the first page of a list. It can also be iterated over all items; the next page is requested when the
 * current one is used up.
 */
export interface PagedCall<Page, Item> extends ApiCall<Page>, AsyncIterable<Item> {
  /**
   * Iterates over the pages instead of the items.
   *
   * @example for await (const { memories } of client.export().pages()) console.log(memories.length);
   */
  pages(): AsyncIterable<Page>;
}

/** Describes how to read the pages of a list. */
export interface Paging<Page, Item> {
  itemsOf(page: Page): readonly Item[];
  /** The cursor of the page after this one; undefined after the last. */
  cursorAfter(page: Page): string | undefined;
  readPage(cursor: string): ApiCall<Page>;
}

/** Returns the paging of a list whose pages contain `nextCursor`. */
export function byNextCursor<Page extends { nextCursor?: string }, Item>(
  itemsOf: (page: Page) => readonly Item[],
): Omit<Paging<Page, Item>, 'readPage'> {
  return { itemsOf, cursorAfter: ({ nextCursor }) => nextCursor };
}

export function toApiCall<T>(answer: Promise<Answer<T>>): ApiCall<T> {
  const data = answer.then((answered) => answered.data);
  return Object.assign(data, {
    withResponse: () => {
      // `answer` reports a failure now. An unhandled rejection of `data` would end the process.
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
