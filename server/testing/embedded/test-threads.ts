import type { Worker } from 'node:worker_threads';
import { workerFile } from '../../adapters/sqlite/engine/threads/worker-file.js';
import { SharedWork } from '../../adapters/sqlite/vector-index/scan/helper/shared-work.js';
import type { ScanThreadData } from '../../adapters/sqlite/vector-index/scan/threads/scan-messages.js';
import { ScanThreads } from '../../adapters/sqlite/vector-index/scan/threads/scan-threads.js';
import { endNativeThread, startNativeThread } from '../../adapters/threads/native-thread.js';

/** Answers that are held back. */
interface Hold {
  arrived: () => void;
  released: Promise<void>;
}

/** Runs scan threads with helpers, for indexes of any size. A test can hold back their answers and kill them. */
export class TestThreads implements AsyncDisposable {
  readonly threads: ScanThreads;
  /** Why each lost thread ended. */
  readonly lost: unknown[] = [];
  /** The work that each thread shares with its helper. */
  readonly sharedWork: SharedWork[] = [];
  readonly #workers: Worker[] = [];
  #hold: Hold | undefined;

  /** @param localRows rows of each matrix that stay outside the threads */
  constructor(localRows = 0) {
    const onLost = (error: unknown) => void this.lost.push(error);
    const start = (data: ScanThreadData) => this.#start(data);
    this.threads = new ScanThreads({ count: 2, isHelped: true, localRows, onLost, start });
  }

  /** The number of threads started so far. */
  get started(): number {
    return this.#workers.length;
  }

  /**
   * Runs `work` after a thread has answered and before the caller gets the answer.
   *
   * @param work its argument is false if `asking` ended without using a thread
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

  /** Ends all running threads, each between two native calls. */
  async kill(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => endNativeThread(worker)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.threads[Symbol.asyncDispose]();
  }

  #start(workerData: ScanThreadData): Worker {
    const worker = startNativeThread(workerFile('vector-index/scan/threads/scan-worker'), workerData);
    this.#workers.push(worker);
    if (workerData.helperBuffer) this.sharedWork.push(new SharedWork(workerData.helperBuffer));
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
