import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../../ports/store.js';
import { type EngineReport, isFatal, reported, translated } from './errors.js';
import { workerFile } from './worker-file.js';

/** What the thread is told: to copy the log into the database, or to end. */
export type CheckpointOrder = 'copy' | 'end';

export interface CheckpointAnswer {
  /** Why not everything that could be copied was. */
  error?: EngineReport;
}

/** Copies the log into the database. */
export interface Copier {
  /**
   * Copies what no reader keeps it from, and resolves when that is durable.
   * One call at a time.
   *
   * @throws {StoreUnavailableError} when the disk has no room or fails
   */
  copy(): Promise<void>;
  /** Called when nothing is being copied. */
  close(): Promise<void>;
}

/**
 * A thread with a connection of its own, so that nothing else waits while the
 * log is copied and the disk has it written down. It is started when it is
 * first needed, and again after it died, which fails the call that it was at.
 */
export class CheckpointThread implements Copier {
  readonly #path: string;
  readonly #onFatal: (error: unknown) => void;
  readonly #module: string;
  #worker: Worker | undefined;

  /** @param module that the thread runs; looked up here, so that one which is missing keeps the store from opening */
  constructor(path: string, onFatal: (error: unknown) => void, module = workerFile('checkpoint-worker')) {
    this.#path = path;
    this.#onFatal = onFatal;
    this.#module = module;
  }

  async copy(): Promise<void> {
    const worker = this.#running();
    // The process does not end while somebody waits for the answer, nor live on for a thread that has nothing to do.
    worker.ref();
    try {
      const { error } = await this.#ask(worker);
      if (error) throw this.#failure(error);
    } finally {
      worker.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    worker.ref();
    const ended = once(worker, 'exit');
    worker.postMessage('end' satisfies CheckpointOrder);
    await ended;
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#module, { name: 'checkpoint', workerData: { path: this.#path }, execArgv: [] });
    const gone = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.on('error', gone).on('exit', gone);
    this.#worker = worker;
    return worker;
  }

  #ask(worker: Worker): Promise<CheckpointAnswer> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        worker.off('message', answered).off('error', died).off('exit', died);
      };
      const answered = (answer: CheckpointAnswer) => {
        settle();
        resolve(answer);
      };
      const died = (cause: unknown) => {
        settle();
        reject(new StoreUnavailableError('The thread that copies the log into the database ended', { cause }));
      };
      worker.on('message', answered).on('error', died).on('exit', died);
      worker.postMessage('copy' satisfies CheckpointOrder);
    });
  }

  #failure(report: EngineReport): unknown {
    const error = reported(report);
    if (isFatal(error)) this.#onFatal(error);
    return translated(error);
  }
}
