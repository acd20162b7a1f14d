import type { Worker } from 'node:worker_threads';
import type { Answers, FromThread, Order, Question, ToThread } from './scan-messages.js';

/** A scan thread has ended, and the rows that it held are gone; the database has them still. */
export class LostThreadError extends Error {
  override name = 'LostThreadError';
}

interface Waiting {
  resolve: (answer: Answers[Question['kind']]) => void;
  reject: (error: LostThreadError) => void;
}

/** A thread that holds rows of matrices and scans them. It keeps the process alive only while it is asked something. */
export class ScanThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #fault: unknown;
  #lost: LostThreadError | undefined;

  /** @param onLost called once it has ended, whatever the reason */
  constructor(worker: Worker, onLost: (error: LostThreadError) => void) {
    this.#worker = worker;
    worker.unref();
    worker.on('message', (reply: FromThread) => this.#settle(reply));
    worker.on('messageerror', (error) => this.#fail(error));
    worker.on('error', (error) => {
      this.#fault = error;
    });
    worker.once('exit', () => {
      this.#lose();
      if (this.#lost) onLost(this.#lost);
    });
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** A lost one hears nothing. @param buffers handed over: the caller has them no more */
  tell(order: Order, buffers: readonly ArrayBufferLike[] = []): void {
    this.#post(order, buffers);
  }

  /** @throws {LostThreadError} when the thread ends before it has answered */
  ask<Kind extends Question['kind']>(question: Question & { kind: Kind }): Promise<Answers[Kind]> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.#asked += 1;
    const number = this.#asked;
    return new Promise<Answers[Kind]>((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as Waiting['resolve'], reject });
      this.#worker.ref();
      this.#post({ kind: 'question', number, question }, []);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToThread, buffers: readonly ArrayBufferLike[]): void {
    if (!this.#lost) this.#worker.postMessage(message, buffers as readonly ArrayBuffer[]);
  }

  #settle({ number, answer }: FromThread): void {
    this.#waiting.get(number)?.resolve(answer);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  /** Without one of its answers nobody can tell what it holds. */
  #fail(error: unknown): void {
    this.#fault = error;
    void this.#worker.terminate();
  }

  #lose(): void {
    const lost = new LostThreadError('A thread that scans vectors has ended', { cause: this.#fault });
    this.#lost = lost;
    for (const { reject } of this.#waiting.values()) reject(lost);
    this.#waiting.clear();
  }
}
