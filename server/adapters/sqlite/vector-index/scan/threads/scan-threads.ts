import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startNativeThread } from '../../../../threads/native-thread.js';
import { workerFile } from '../../../engine/threads/worker-file.js';
import { SharedWork } from '../helper/shared-work.js';
import type { ScanThreadData } from './scan-messages.js';
import { type LostThreadError, ScanThread } from './scan-thread.js';
import { Shard } from './shard.js';

interface ScanThreadsOptions {
  /** Number of threads. Default: one less than there are processors, at least one and at most four. */
  count?: number;
  /** True to start a helper for each thread. Default: if there is one thread, and more processors. */
  isHelped?: boolean;
  /** Number of rows per matrix up to which the main thread scans alone, which is faster than asking other threads. */
  localRows?: number;
  /** Called for each thread that ended without being closed. */
  onLost?: (error: LostThreadError) => void;
  start?: (data: ScanThreadData) => Worker;
}

const MAX_THREADS = 4;
const LOCAL_ROWS = 12_288;

/**
 * Owns the threads that scan the rows of large matrices. All matrices share
 * them. They start when the first large matrix needs them.
 */
export class ScanThreads implements AsyncDisposable {
  readonly localRows: number;
  readonly #count: number;
  readonly #onLost: (error: LostThreadError) => void;
  readonly #start: (data: ScanThreadData) => Worker;
  readonly #isHelped: boolean;
  readonly #threads: ScanThread[] = [];
  #matrices = 0;
  #isClosed = false;

  constructor({
    count = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)),
    localRows = LOCAL_ROWS,
    onLost = () => {},
    isHelped = count === 1 && availableParallelism() > 1,
    start = scanWorkers(),
  }: ScanThreadsOptions = {}) {
    this.localRows = localRows;
    this.#count = count;
    this.#onLost = onLost;
    this.#start = start;
    this.#isHelped = isHelped;
  }

  /** Returns one shard per thread for a new matrix, or none after closing. */
  shards(dimensions: number): Shard[] {
    if (this.#isClosed) return [];
    this.#matrices += 1;
    const matrix = this.#matrices;
    // Matrices begin with different threads, or the first thread would get all small ones.
    return Array.from({ length: this.#count }, (_, n) => {
      return new Shard(this.#thread((matrix + n) % this.#count), matrix, dimensions);
    });
  }

  /** Ends the threads. Searches that wait for them reject. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #thread(place: number): ScanThread {
    const known = this.#threads[place];
    if (known && !known.isLost) return known;
    const helperBuffer = this.#isHelped ? SharedWork.newBuffer() : undefined;
    const onLost = (error: LostThreadError) => {
      if (!this.#isClosed) this.#onLost(error);
    };
    const thread = new ScanThread(this.#start({ helperBuffer }), onLost);
    this.#threads[place] = thread;
    return thread;
  }
}

/** @throws {Error} immediately if the module is missing */
function scanWorkers(): (data: ScanThreadData) => Worker {
  const file = workerFile('vector-index/scan/threads/scan-worker');
  return (data) => startNativeThread(file, data, { name: 'vector-scan' });
}
