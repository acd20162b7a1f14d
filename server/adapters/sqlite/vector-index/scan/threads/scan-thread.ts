import type { Worker } from 'node:worker_threads';
import { endNativeThread } from '../../../../threads/native-thread.js';
import { SpareTime } from '../../../../threads/spare-time.js';
import type { Found, MatrixSearch } from '../matrix-search.js';
import { type FromThread, type ThreadSearch, type ToThread, unpacked } from './scan-messages.js';

/** Reports a scan thread that ended and lost its rows. */
export class LostThreadError extends Error {
  override name = 'LostThreadError';
}

/** Shares of its time in which the event loop must wait, for the helper of a single search, and for that of several ones. */
const [SPARE_FOR_ONE, SPARE_AMONG_OTHERS] = [0.3, 0.6];

interface Waiting {
  resolve: (reply: FromThread) => void;
  reject: (error: LostThreadError) => void;
}

/** Controls a thread that scans rows of matrices. It keeps the process alive only while a search waits for it. */
export class ScanThread {
  readonly #worker: Worker;
  readonly #spareTime = new SpareTime();
  readonly #waiting = new Map<number, Waiting>();
  #searches = 0;
  #fault: unknown;
  #lost: LostThreadError | undefined;

  /** @param onLost called when it has ended for any reason */
  constructor(worker: Worker, onLost: (error: LostThreadError) => void) {
    this.#worker = worker;
    worker.unref();
    worker.on('message', (reply: FromThread) => this.#settle(reply));
    worker.on('messageerror', (error) => this.#fail(error));
    worker.on('error', (error) => {
      this.#fault = error;
    });
    worker.once('exit', () => onLost(this.#lose()));
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Sends a message, unless the thread has ended. @param buffers transferred: the caller can no longer use them */
  tell(message: Exclude<ToThread, { kind: 'search' }>, buffers: readonly ArrayBuffer[] = []): void {
    if (!this.#lost) this.#worker.postMessage(message, buffers);
  }

  /** Returns the best rows of a matrix. @throws {LostThreadError} if the thread ends before it answers */
  async search(matrix: number, search: MatrixSearch): Promise<Found> {
    if (this.#lost) throw this.#lost;
    this.#searches += 1;
    const number = this.#searches;
    const reply = new Promise<FromThread>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    const message: ThreadSearch = { kind: 'search', number, matrix, isHelped: this.#hasSpareTime, ...search };
    this.#worker.ref();
    this.#worker.postMessage(message satisfies ToThread);
    const { found, unseen, bytes } = await reply;
    return { candidates: unpacked(found), unseen, bytes };
  }

  /** Ends it. Searches that wait for it reject immediately. */
  async end(): Promise<void> {
    this.#lose();
    await endNativeThread(this.#worker);
  }

  /** True if a helper takes no time from requests. */
  get #hasSpareTime(): boolean {
    return this.#spareTime.share > (this.#waiting.size > 1 ? SPARE_AMONG_OTHERS : SPARE_FOR_ONE);
  }

  #settle(reply: FromThread): void {
    this.#waiting.get(reply.number)?.resolve(reply);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  /** Ends the thread, since the message does not show which search it answered. */
  #fail(error: unknown): void {
    this.#fault = error;
    void this.end();
  }

  #lose(): LostThreadError {
    this.#lost ??= new LostThreadError('A thread that scans vectors has ended', { cause: this.#fault });
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
    return this.#lost;
  }
}
