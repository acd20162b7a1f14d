import type { LinesQuery, MemoryLines } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import type { DatabaseThread } from '../../engine/threads/database-thread.js';
import { SLICE_BYTES } from '../lists/list-slices.js';
import { LineBuffers } from './line-buffers.js';
import { listPage, readLines } from './memory-lines.js';
import type { PagesAhead } from './pages-ahead.js';

/** An order to the thread that reads long pages. */
export interface LinesOrder {
  org: number;
  query: LinesQuery;
  /** Buffer for the text, if it fits. */
  into: SharedArrayBuffer | undefined;
}

/** Largest limit of a page that the main thread reads, which takes less than a millisecond. */
const MAX_LOCAL_LIMIT = 50;

/**
 * Reads pages of memories as text. A thread reads long ones, so that others do not wait for them. It is not the thread
 * of HeavyReads, in which a page could wait for seconds. If a client continues a list, and nobody else waits for the
 * thread, it reads the next page while the client processes the last one.
 */
export class LineReads {
  readonly #reader: Connection;
  readonly #thread: Pick<DatabaseThread<LinesOrder, MemoryLines>, 'ask' | 'isIdle'>;
  readonly #ahead: PagesAhead;
  readonly #buffers = new LineBuffers();

  constructor(
    reader: Connection,
    thread: Pick<DatabaseThread<LinesOrder, MemoryLines>, 'ask' | 'isIdle'>,
    ahead: PagesAhead,
  ) {
    this.#reader = reader;
    this.#thread = thread;
    this.#ahead = ahead;
  }

  async read(org: number, query: LinesQuery, signal?: AbortSignal): Promise<MemoryLines> {
    if (query.limit <= MAX_LOCAL_LIMIT) {
      const listed = listPage(this.#reader, org, query);
      if (listed.bytes <= SLICE_BYTES) return readLines(this.#reader, listed);
    }
    const ahead = await this.#ahead.take(org, query)?.catch(() => undefined);
    if (ahead && signal?.aborted) ahead.release?.();
    signal?.throwIfAborted();
    const page = ahead ?? (await this.#ask(org, query, signal));
    const next = nextOf(query, page);
    if (next && this.#thread.isIdle) this.#ahead.add(org, next, this.#ask(org, next));
    return page;
  }

  async #ask(org: number, query: LinesQuery, signal?: AbortSignal): Promise<MemoryLines> {
    const into = this.#buffers.take();
    const release = into && this.#buffers.lease(into);
    try {
      const page = await this.#thread.ask({ org, query, into }, signal);
      if (release && page.lines.buffer instanceof SharedArrayBuffer) return { ...page, release };
      release?.();
      return page;
    } catch (error) {
      release?.();
      throw error;
    }
  }
}

/** Returns the query of the next page of a client that continues a list by creation; undefined for another one. */
function nextOf(query: LinesQuery, { hasMore, last }: MemoryLines): LinesQuery | undefined {
  if (!hasMore || !last || !query.after || query.order !== 'oldest') return undefined;
  return { ...query, after: { at: last.createdAt, id: last.id } };
}
