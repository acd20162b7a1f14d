import { Worker } from 'node:worker_threads';
import { LostWorkError } from '../../ports/lost-work-error.js';

/** The message to a thread. */
export interface WorkOrder<Order> {
  order: Order;
}

/** The answer to an order. Answers come in the order of the orders. */
export type WorkAnswer = { value: unknown } | { error: unknown };

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A started thread and the callers that wait for its answers. */
interface Running {
  worker: Worker;
  waiting: Waiting[];
}

/**
 * Threads for computations that would block the event loop or the threads used for files. Each starts when it is first
 * needed, and again after a crash, which fails its pending orders.
 */
export class WorkThreads<Order, Result> implements AsyncDisposable {
  readonly #module: string;
  readonly #count: number;
  readonly #running = new Set<Running>();

  /**
   * @param module module that the threads run; it calls `serveWork`
   * @param count number of threads, each of which runs one order at a time
   */
  constructor(module: string, count: number) {
    this.#module = module;
    this.#count = count;
  }

  /** @throws {LostWorkError} */
  async ask(order: Order): Promise<Result> {
    const { worker, waiting } = this.#leastBusy();
    // A pending answer keeps the process alive, an idle thread does not.
    worker.ref();
    const answered = new Promise<unknown>((resolve, reject) => waiting.push({ resolve, reject }));
    worker.postMessage({ order } satisfies WorkOrder<Order>);
    return (await answered) as Result;
  }

  /** Terminates the threads, even busy ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Running {
    const [least] = [...this.#running].sort((one, other) => one.waiting.length - other.waiting.length);
    return least && (least.waiting.length === 0 || this.#running.size >= this.#count) ? least : this.#start();
  }

  #start(): Running {
    const worker = new Worker(this.#module, { execArgv: [] });
    const running: Running = { worker, waiting: [] };
    worker.on('message', (answer: WorkAnswer) => {
      const waiting = running.waiting.shift();
      if ('error' in answer) waiting?.reject(answer.error);
      else waiting?.resolve(answer.value);
      if (running.waiting.length === 0) worker.unref();
    });
    worker.on('error', (cause) => this.#end(running, cause));
    worker.on('exit', () => this.#end(running));
    this.#running.add(running);
    return running;
  }

  #end(running: Running, cause?: unknown): void {
    this.#running.delete(running);
    const error = new LostWorkError('A worker thread ended before it answered', { cause });
    for (const { reject } of running.waiting.splice(0)) reject(error);
  }
}
