import { Worker } from 'node:worker_threads';

/** What a thread is sent. */
export interface WorkOrder<Order> {
  order: Order;
}

/** What it answers each order with, in the order in which they came. */
export type WorkAnswer = { value: unknown } | { error: unknown };

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A thread that was started, and those who wait for its answers. */
interface Running {
  worker: Worker;
  waiting: Waiting[];
}

/** A thread ended before it had answered. */
export class LostThreadError extends Error {
  override name = 'LostThreadError';
}

/**
 * Threads for computations that would keep the event loop, or the threads that the disk needs, from everybody else.
 * Each is started when it is first needed, and again after it died, which fails the orders that it had.
 */
export class WorkThreads<Order, Result> implements AsyncDisposable {
  readonly #module: string;
  readonly #count: number;
  readonly #running = new Set<Running>();

  /**
   * @param module that the threads run: it calls `serveWork`
   * @param count of threads, each of which does one order at a time
   */
  constructor(module: string, count: number) {
    this.#module = module;
    this.#count = count;
  }

  /** @throws {LostThreadError} */
  async ask(order: Order): Promise<Result> {
    const { worker, waiting } = this.#leastBusy();
    // The process does not end while somebody waits for an answer, nor live on for a thread that has nothing to do.
    worker.ref();
    const answered = new Promise<unknown>((resolve, reject) => waiting.push({ resolve, reject }));
    worker.postMessage({ order } satisfies WorkOrder<Order>);
    return (await answered) as Result;
  }

  /** Ends the threads, whatever they are doing. */
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
    const error = new LostThreadError('A thread ended while it was needed', { cause });
    for (const { reject } of running.waiting.splice(0)) reject(error);
  }
}
