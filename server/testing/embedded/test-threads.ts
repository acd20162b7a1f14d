import { Worker } from 'node:worker_threads';
import { workerFile } from '../../adapters/sqlite/engine/worker-file.js';
import { ScanThreads } from '../../adapters/sqlite/vector-index/scan/scan-threads.js';

/** Answers that wait to be heard. */
interface Hold {
  arrived: () => void;
  released: Promise<void>;
}

/** Scan threads for indexes of any size, whose answers can be held back, and which can be killed. */
export class TestThreads implements AsyncDisposable {
  readonly threads: ScanThreads;
  /** Why each that was lost ended. */
  readonly lost: unknown[] = [];
  readonly #workers: Worker[] = [];
  #hold: Hold | undefined;

  /** @param localRows so many of each matrix are not in a thread */
  constructor(localRows = 0) {
    const onLost = (error: unknown) => void this.lost.push(error);
    this.threads = new ScanThreads({ count: 2, localRows, onLost, start: () => this.#start() });
  }

  /** Threads that were started so far. */
  get started(): number {
    return this.#workers.length;
  }

  /**
   * Does something after a thread has answered and before anybody hears of it.
   *
   * @param work told whether that is so: what asks no thread is done before
   */
  async during<T>(asking: () => Promise<T>, work: (isUnderWay: boolean) => Promise<unknown>): Promise<T> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const arrived = new Promise<void>((resolve) => {
      this.#hold = { arrived: resolve, released };
    });
    const asked = asking();
    try {
      await work(await Promise.race([arrived.then(() => true), asked.then(() => false)]));
    } finally {
      this.#hold = undefined;
      release();
    }
    return asked;
  }

  /** Ends all that run. */
  async kill(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.threads[Symbol.asyncDispose]();
  }

  #start(): Worker {
    const worker = new Worker(workerFile('vector-index/scan/scan-worker'));
    this.#workers.push(worker);
    const on = worker.on.bind(worker);
    const heard = async (reply: unknown, listener: (reply: unknown) => void) => {
      this.#hold?.arrived();
      await this.#hold?.released;
      listener(reply);
    };
    return Object.assign(worker, {
      on: (event: string, listener: (value: unknown) => void) =>
        on(event, event === 'message' ? (reply: unknown) => heard(reply, listener) : listener),
    });
  }
}
