import { DatabaseThread } from '../database-thread.js';
import { workerFile } from '../worker-file.js';

/**
 * `PASSIVE` copies what no reader keeps it from. `RESTART`, called when nobody
 * writes, waits a little for readers, so that the log can be written from its
 * start again.
 */
export type CheckpointMode = 'PASSIVE' | 'RESTART';

/** Copies the log into the database. */
export interface Copier {
  /**
   * Resolves when what could be copied is durable.
   *
   * @throws {StoreUnavailableError} when the disk has no room or fails
   */
  copy(mode: CheckpointMode): Promise<void>;
  /** Ends when everything that was asked for is done. */
  close(): Promise<void>;
}

/** Copies in a thread of its own, so that nothing else waits until the disk has it. */
export class CheckpointThread implements Copier {
  readonly #thread: DatabaseThread<CheckpointMode, void>;

  constructor(path: string, onFatal: (error: unknown) => void) {
    this.#thread = new DatabaseThread(path, workerFile('engine/log/checkpoint-worker'), onFatal);
  }

  copy(mode: CheckpointMode): Promise<void> {
    return this.#thread.ask(mode);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
