import { DatabaseThread } from '../threads/database-thread.js';
import { workerFile } from '../threads/worker-file.js';

/**
 * `PASSIVE` copies as much as active readers permit. `RESTART` also waits a
 * little for readers, so that the next write can begin at the start of the log.
 * It is called while nobody writes.
 */
export type CheckpointMode = 'PASSIVE' | 'RESTART';

/** Copies the log into the database. */
export interface Copier {
  /**
   * Resolves when everything that could be copied is durable.
   *
   * @throws {StoreUnavailableError} if the disk has no room or fails
   */
  copy(mode: CheckpointMode): Promise<void>;
  /** Ends the copier after all requested copies. */
  close(): Promise<void>;
}

/** Copies in a separate thread, so that nothing else waits for the disk. */
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
