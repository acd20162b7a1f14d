import type { Worker } from 'node:worker_threads';
import { startNativeThread } from '../../../threads/native-thread.js';
import { workerFile } from '../../engine/threads/worker-file.js';
import type { IndexFileOrder, ReadIndex } from './read-index-file.js';

/** A message to the thread: an order, a folder from which to read one file early, or the order to end. */
export type ToIndexFileThread = IndexFileOrder | EarlyFolder | 'end';

interface EarlyFolder {
  folder: string;
  /** Maximum size of the file. */
  maxBytes: number;
}

/** The answer to an order. Answers come in the order of the orders. */
export type IndexFileAnswer = { index: ReadIndex | undefined } | { error: unknown };

interface Waiting {
  resolve: (index: ReadIndex | undefined) => void;
  reject: (error: unknown) => void;
}

/** Time without orders after which the thread ends. Most files are read at the start of the process. */
const IDLE_MS = 10_000;

/**
 * A thread that reads index files, since reading and checking one takes a millisecond for each thousand rows, and more
 * while nothing is compiled. It starts with `start` or its first order, and ends when it has none for some time.
 */
export class IndexFileThread implements AsyncDisposable {
  readonly #module = workerFile('vector-index/file/index-file-worker');
  readonly #idleMs: number;
  #worker: Worker | undefined;
  #waiting: Waiting[] = [];
  #ending: NodeJS.Timeout | undefined;
  /** Resolves when each former thread has ended. */
  #ended: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** True while the thread exists. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Starts the thread before its first order, since that takes some 40 ms, and reads a file early. */
  start(early: EarlyFolder): void {
    this.#running().postMessage(early satisfies ToIndexFileThread);
    this.#endWhenIdle();
  }

  /** Returns undefined if no index could be read from the file, or the thread was lost or closed. */
  async read(order: IndexFileOrder): Promise<ReadIndex | undefined> {
    if (this.#isClosed) return undefined;
    const worker = this.#running();
    clearTimeout(this.#ending);
    // An order keeps the process alive, an idle thread does not.
    worker.ref();
    const read = new Promise<ReadIndex | undefined>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    worker.postMessage(order satisfies ToIndexFileThread);
    return read;
  }

  /** Ends the thread after its last order: it may have the database open, whose log would then remain. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#ending);
    const worker = this.#worker;
    worker?.ref();
    worker?.postMessage('end' satisfies ToIndexFileThread);
    await Promise.all([this.#ended, worker && exitOf(worker)]);
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startNativeThread(this.#module, {}, { name: 'index-files' });
    worker.unref();
    worker.on('message', (answer: IndexFileAnswer) => this.#settle(answer));
    // A thread that is lost only costs time: the vectors are also in the database.
    worker.on('error', () => {});
    worker.once('exit', () => this.#lose(worker));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: IndexFileAnswer): void {
    const waiting = this.#waiting.shift();
    if ('error' in answer) waiting?.reject(answer.error);
    else waiting?.resolve(answer.index);
    if (this.#waiting.length === 0) this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    this.#worker?.unref();
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#end(), this.#idleMs).unref();
  }

  #end(): void {
    const worker = this.#worker;
    // The next order starts another thread, even before this one has ended.
    this.#worker = undefined;
    if (!worker) return;
    // The close of the store waits for its end.
    worker.ref();
    this.#ended = Promise.all([this.#ended, exitOf(worker)]);
    worker.postMessage('end' satisfies ToIndexFileThread);
  }

  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined);
  }
}

function exitOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => worker.once('exit', resolve));
}
