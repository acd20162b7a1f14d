import type { Worker } from 'node:worker_threads';
import { startNativeThread } from '../../../threads/native-thread.js';
import { workerFile } from '../../engine/threads/worker-file.js';
import type { StoredIndex } from '../index-parts.js';
import type { VectorsOrder } from './database-reader.js';
import type { IndexFileOrder, ReadIndex } from './index-reader.js';

/** A message to the thread: an order, a folder from which to read one file early, or the order to end. */
export type ToIndexThread = IndexOrder | EarlyFolder | 'end';

/** An order to read an index from a file or from the database. */
export type IndexOrder = { id: number } & ({ file: IndexFileOrder } | { stored: VectorsOrder });

interface EarlyFolder {
  folder: string;
  /** Maximum size of the file. */
  maxBytes: number;
}

/** The answer to the order with an id. */
export type IndexAnswer = { id: number } & ({ index: StoredIndex | undefined } | { error: unknown });

interface Waiting {
  resolve: (index: StoredIndex | undefined) => void;
  reject: (error: unknown) => void;
}

/** Time without orders after which the thread ends. Most indexes are read at the start of the process. */
const IDLE_MS = 10_000;

/**
 * A thread that reads indexes from files, or from the database. A file takes a millisecond for each thousand rows, vectors in
 * the database take some ten, and more while nothing is compiled. It starts with `start` or its first order, and ends when it
 * has none for some time.
 */
export class IndexThread implements AsyncDisposable {
  readonly #module = workerFile('vector-index/reader/index-worker');
  readonly #idleMs: number;
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
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
    this.#running().postMessage(early satisfies ToIndexThread);
    this.#endWhenIdle();
  }

  /** Returns undefined if no index could be read from the file, or the thread was lost or closed. */
  async readFile(file: IndexFileOrder): Promise<ReadIndex | undefined> {
    return this.#ask<ReadIndex>((id) => ({ id, file }));
  }

  /** Returns undefined if there are no vectors or they could not be read, or the thread was lost or closed. */
  async readDatabase(stored: VectorsOrder): Promise<StoredIndex | undefined> {
    return this.#ask<StoredIndex>((id) => ({ id, stored }));
  }

  /** Ends the thread after the files it was to read: it may have the database open, whose log would then remain. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#ending);
    const worker = this.#worker;
    worker?.ref();
    worker?.postMessage('end' satisfies ToIndexThread);
    await Promise.all([this.#ended, worker && exitOf(worker)]);
  }

  async #ask<Index extends StoredIndex>(orderOf: (id: number) => IndexOrder): Promise<Index | undefined> {
    if (this.#isClosed) return undefined;
    const worker = this.#running();
    clearTimeout(this.#ending);
    // An order keeps the process alive, an idle thread does not.
    worker.ref();
    this.#lastId += 1;
    const id = this.#lastId;
    const read = new Promise<StoredIndex | undefined>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    worker.postMessage(orderOf(id) satisfies ToIndexThread);
    return (await read) as Index | undefined;
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startNativeThread(this.#module, {}, { name: 'indexes' });
    worker.unref();
    worker.on('message', (answer: IndexAnswer) => this.#settle(answer));
    // A thread that is lost only costs time: the vectors are also in the database.
    worker.on('error', () => {});
    worker.once('exit', () => this.#lose(worker));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: IndexAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(answer.error);
    else waiting?.resolve(answer.index);
    // While it is closed, its end keeps the process alive.
    if (this.#waiting.size === 0 && !this.#isClosed) this.#endWhenIdle();
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
    worker.postMessage('end' satisfies ToIndexThread);
  }

  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { resolve } of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}

function exitOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => worker.once('exit', resolve));
}
