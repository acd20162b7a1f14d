import type { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../../../../ports/store-errors.js';
import { startNativeThread } from '../../../threads/native-thread.js';
import { type EngineReport, isFatal, reported, translated } from '../errors.js';
import { type AbandonedFlag, newFlag, raise } from './abandonment.js';

/** A message to a thread: an order, or none to end it. */
export interface Message<Order> {
  order?: Order;
  /** Raised when nobody waits for the answer any more. Absent if that cannot happen. */
  abandoned?: AbandonedFlag;
}

/** The thread's answer to one order. Answers come in the sequence of the orders. */
export type Answer = { value: unknown } | { error: EngineReport } | { abandoned: true };

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  signal: AbortSignal | undefined;
}

/** A started thread, and the callers that wait for its answers. */
interface Running {
  worker: Worker;
  waiting: Waiting[];
}

/**
 * A thread with its own connection, for work that would block the main thread.
 * It starts with its first order. If it dies, its orders fail, and the next
 * order starts it again.
 */
export class DatabaseThread<Order, Result> {
  readonly #path: string;
  readonly #onFatal: (error: unknown) => void;
  readonly #module: string;
  #running: Running | undefined;
  #closed = false;

  /**
   * @param path path of the database
   * @param module the module that the thread runs
   */
  constructor(path: string, module: string, onFatal: (error: unknown) => void) {
    this.#path = path;
    this.#module = module;
    this.#onFatal = onFatal;
  }

  /** True if no caller waits for an answer. */
  get isIdle(): boolean {
    return (this.#running?.waiting.length ?? 0) === 0;
  }

  /**
   * @param signal ends the work at its next step. The promise then rejects with its reason, once the thread is free again
   * @throws {StoreUnavailableError} if the engine fails, the thread died, or it was closed
   */
  async ask(order: Order, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#closed) throw new StoreUnavailableError('The store is closed');
    const { worker, waiting } = this.#start();
    // A caller that waits keeps the process alive; an idle thread does not.
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

  /** Ends the thread after it has answered every order. */
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
    const worker = startNativeThread(this.#module, { path: this.#path });
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
    const error = new StoreUnavailableError('A thread of the store ended before it answered', { cause });
    for (const { reject } of running.waiting.splice(0)) reject(error);
  }

  #failure(report: EngineReport): unknown {
    const error = reported(report);
    if (isFatal(error)) this.#onFatal(error);
    return translated(error);
  }
}
