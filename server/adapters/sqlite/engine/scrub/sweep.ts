import type { Connection } from '../connection.js';
import { DatabaseFile } from './database-file.js';
import { type LogMark, NO_FRAMES, pagesInLog } from './log-frames.js';

/** `busy`: because of a reader or another program, the file did not get the newest state. */
export type SweepResult = 'done' | 'more' | 'busy';

interface Checkpoint {
  busy: number;
  log: number;
  checkpointed: number;
}

/** A write that changes nothing of the data. The readiness check of the store uses it too. */
export const WRITE_PROBE =
  'INSERT INTO probes (key, written_at) VALUES (1, ?1) ON CONFLICT DO UPDATE SET written_at = ?1';

/**
 * Overwrites the unused bytes of a database file, page by page.
 *
 * Others write between two steps. They may copy unused bytes from a page that is not clean yet. So each step begins
 * with the pages that changed since the last one. When a step ends, all pages before `#next` are clean in the file,
 * and no connection writes pages that it read before.
 */
export class Sweep {
  readonly #connection: Connection;
  readonly #logPath: string;
  readonly #file: number;
  #next = 1;
  #mark: LogMark = NO_FRAMES;
  /** The pages that changed since they were cleaned. */
  readonly #changed = new Set<number>();

  /**
   * @param path path of the database
   * @param file descriptor of the database
   */
  constructor(connection: Connection, path: string, file: number) {
    this.#connection = connection;
    this.#logPath = `${path}-wal`;
    this.#file = file;
  }

  /** Must be called while the service has no open transaction. Begins no page after `maxMs`. */
  step(maxMs: number): SweepResult {
    this.end();
    this.#noteChanges();
    const result = this.#cleanNewest(performance.now() + maxMs);
    if (result !== 'done') this.#keepLog();
    return result;
  }

  /** Permits a restart of the log. */
  end(): void {
    if (this.#connection.isTransaction) this.#connection.exec('COMMIT');
  }

  #noteChanges(): void {
    // Before the first step, no page is clean.
    if (this.#next === 1) return;
    const { log } = this.#checkpoint('NOOP');
    const { pages, mark } = pagesInLog(this.#logPath, Math.max(0, log), this.#mark);
    this.#mark = mark;
    for (const page of pages) this.#changed.add(page);
  }

  /** Cleans pages if the file has the newest state of all of them. Its transaction keeps others from writing meanwhile. */
  #cleanNewest(until: number): SweepResult {
    const version = this.#version();
    const { busy, log, checkpointed } = this.#checkpoint('PASSIVE');
    if (busy !== 0 || log !== checkpointed) return 'busy';
    this.#connection.run('BEGIN IMMEDIATE');
    try {
      // If the version changed, another program wrote after the log was copied.
      if (this.#version() !== version) return 'busy';
      const file = new DatabaseFile(this.#file);
      this.#clean(file, until);
      // This commit makes the writer drop its cached pages.
      this.#connection.run(WRITE_PROBE, Date.now() * 1_000);
      return this.#next > file.pages ? 'done' : 'more';
    } finally {
      this.#connection.run('COMMIT');
      // Its own commit does not clear the cache of this connection.
      this.#connection.exec('PRAGMA shrink_memory');
    }
  }

  #clean(file: DatabaseFile, until: number): void {
    for (const page of this.#changed) if (page < this.#next) file.clean(page);
    this.#changed.clear();
    do this.#next = file.cleanFrom(this.#next);
    while (this.#next <= file.pages && performance.now() < until);
  }

  /** Opens a read transaction: a log in use restarts at most once, so the next step sees all changes in it. */
  #keepLog(): void {
    this.#noteChanges();
    this.#connection.exec('BEGIN');
    this.#connection.get('SELECT written_at FROM probes');
  }

  #checkpoint(mode: 'NOOP' | 'PASSIVE'): Checkpoint {
    const checkpoint = this.#connection.get<Checkpoint>(`PRAGMA wal_checkpoint(${mode})`);
    return checkpoint ?? { busy: 1, log: 0, checkpointed: 0 };
  }

  #version(): number | undefined {
    return this.#connection.get<{ data_version: number }>('PRAGMA data_version')?.data_version;
  }
}
