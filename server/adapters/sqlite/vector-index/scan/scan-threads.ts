import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../engine/worker-file.js';
import { type LostThreadError, ScanThread } from './scan-thread.js';
import { Shard } from './shard.js';

interface ScanThreadsOptions {
  /** As many as there are processors, at most four, unless told otherwise. */
  count?: number;
  /** Up to so many rows of a matrix the main thread scans them itself, which takes less time than asking for it. */
  localRows?: number;
  /** Told of each that ended though nobody closed it. */
  onLost?: (error: LostThreadError) => void;
  start?: () => Worker;
}

const MOST_THREADS = 4;
const LOCAL_ROWS = 12_288;

/**
 * The threads that scan the rows of large matrices, shared by all of them and
 * started when the first is there.
 */
export class ScanThreads implements AsyncDisposable {
  readonly localRows: number;
  readonly #count: number;
  readonly #onLost: (error: LostThreadError) => void;
  readonly #start: () => Worker;
  readonly #threads: ScanThread[] = [];
  #matrices = 0;
  #isClosed = false;

  constructor({
    count = Math.min(MOST_THREADS, availableParallelism()),
    localRows = LOCAL_ROWS,
    onLost = () => {},
    start = scanWorkers(),
  }: ScanThreadsOptions = {}) {
    this.localRows = localRows;
    this.#count = count;
    this.#onLost = onLost;
    this.#start = start;
  }

  /** Room for one more matrix, in every thread; none when they are closed. */
  shards(dimensions: number): Shard[] {
    if (this.#isClosed) return [];
    this.#matrices += 1;
    const matrix = this.#matrices;
    // Each matrix begins with another thread, or the first would have all the small ones.
    return Array.from({ length: this.#count }, (_, n) => {
      return new Shard(this.#thread((matrix + n) % this.#count), matrix, dimensions);
    });
  }

  /** Ends the threads; those who wait for an answer of theirs get none. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #thread(place: number): ScanThread {
    const known = this.#threads[place];
    if (known && !known.isLost) return known;
    const thread = new ScanThread(this.#start(), (error) => {
      if (!this.#isClosed) this.#onLost(error);
    });
    this.#threads[place] = thread;
    return thread;
  }
}

/** @throws {Error} at once where the module is missing */
function scanWorkers(): () => Worker {
  const file = workerFile('vector-index/scan/scan-worker');
  return () => new Worker(file, { name: 'vector-scan', execArgv: [] });
}
