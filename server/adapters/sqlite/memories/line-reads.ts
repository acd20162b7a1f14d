import type { LinesQuery, MemoryLines } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import type { DatabaseThread } from '../engine/database-thread.js';
import { SLICE_BYTES } from './list-slices.js';
import { listPage, readLines } from './memory-lines.js';

/** An order to the thread that reads long pages. */
export interface LinesOrder {
  org: number;
  query: LinesQuery;
}

/** Largest limit of a page that the main thread reads, which takes less than a millisecond. */
const MAX_LOCAL_LIMIT = 50;

/**
 * Reads pages of memories as text. A thread reads long ones, so that others do not wait for them. It is not the thread
 * of HeavyReads, in which a page could wait for seconds.
 */
export class LineReads {
  readonly #reader: Connection;
  readonly #thread: Pick<DatabaseThread<LinesOrder, MemoryLines>, 'ask'>;

  constructor(reader: Connection, thread: Pick<DatabaseThread<LinesOrder, MemoryLines>, 'ask'>) {
    this.#reader = reader;
    this.#thread = thread;
  }

  async read(org: number, query: LinesQuery, signal?: AbortSignal): Promise<MemoryLines> {
    if (query.limit > MAX_LOCAL_LIMIT) return this.#thread.ask({ org, query }, signal);
    const listed = listPage(this.#reader, org, query);
    return listed.bytes > SLICE_BYTES ? this.#thread.ask({ org, query }, signal) : readLines(this.#reader, listed);
  }
}
