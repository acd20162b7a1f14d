import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../../../ports/store.js';
import { type AbandonedFlag, newFlag, raise } from './abandonment.js';
import { type EngineReport, isFatal, reported, translated } from './errors.js';

/** What a thread is sent: something to do, or nothing when it shall end. */
export interface Message<Order> {
  order?: Order;
  /** Raised when nobody waits for the answer any more; absent where that cannot happen. */
  abandoned?: AbandonedFlag;
}

/** What it answers each order with, in the order in which they came. */
export type Answer = { value: unknown } | { error: EngineReport } | { abandoned: true };

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  signal: AbortSignal | undefined;
}

/** A thread that was started, and those who wait for its answers. */
interface Running {
  worker: Worker;
  waiting: Waiting[];
}

/**
 * A thread with a connection of its own, for what would keep everybody else
 * waiting in this one. It is started when it is first needed, and again after
 * it died, which fails the orders that it had.
 */
export class DatabaseThread<Order, Result> {
  readonly #path: string;
  readonly #onFatal: (error: unknown) => void;
  readonly #module: string;
  #running: Running | undefined;
  #closed = false;

  /**
   * @param path of the database
   * @param module that the thread runs
   */
  constructor(path: string, module: string, onFatal: (error: unknown) => void) {
    this.#path = path;
    this.#module = module;
    this.#onFatal = onFatal;
  }

  /**
   * @param signal ends the work at its next step. The promise rejects with its reason once the thread is free again
   * @throws {StoreUnavailableError} when the engine cannot do it, the thread died, or it was closed
   */
  async ask(order: Order, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#closed) throw new StoreUnavailableError('The store is closed');
    const { worker, waiting } = this.#start();
    // The process does not end while somebody waits for an answer, nor live on for a thread that has nothing to do.
    worker.ref();
    const answered = new Promise<unknown>((resolve, reject) => waiting.push({ resolve, reject, signal }));
    if (!signal) {
      worker.postMessage({ order } satisfies Message<Order>);
      return (await answered) as Result;
    }
    const abandoned = newFlag();
    const abandon = () => raise(abandoned);
    signal.addEventListener('abort', abandon, { once: true });
    worker.postMessage({ order, abandoned } satisfies Message<Order>);
    try {
      return (await answered) as Result;
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  /** Ends the thread when it has answered everything. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.worker.ref();
    const ended = new Promise((resolve) => running.worker.once('exit', resolve));
    running.worker.postMessage({} satisfies Message<Order>);
    await ended;
  }

  #start(): Running {
    if (this.#running) return this.#running;
    const worker = new Worker(this.#module, { workerData: { path: this.#path }, execArgv: [] });
    const running: Running = { worker, waiting: [] };
    worker.on('message', (answer: Answer) => this.#answer(running, answer));
    worker.on('error', (cause) => this.#died(running, cause));
    worker.on('exit', () => this.#died(running));
    this.#running = running;
    return running;
  }

  #answer(running: Running, answer: Answer): void {
    const waiting = running.waiting.shift();
    if ('abandoned' in answer) waiting?.reject(waiting.signal?.reason);
    else if ('error' in answer) waiting?.reject(this.#failure(answer.error));
    else waiting?.resolve(answer.value);
    if (running === this.#running && running.waiting.length === 0) running.worker.unref();
  }

  #died(running: Running, cause?: unknown): void {
    if (running === this.#running) this.#running = undefined;
    const error = new StoreUnavailableError('A thread of the store ended while it was needed', { cause });
    for (const { reject } of running.waiting.splice(0)) reject(error);
  }

  #failure(report: EngineReport): unknown {
    const error = reported(report);
    if (isFatal(error)) this.#onFatal(error);
    return translated(error);
  }
}
