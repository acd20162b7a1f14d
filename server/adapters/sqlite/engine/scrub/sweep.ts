import type { Connection } from '../connection.js';
import { DatabaseFile } from './database-file.js';
import { type LogMark, NO_FRAMES, pagesInLog } from './log-frames.js';

/** `busy`: a reader or another program kept the file from having the newest state. */
export type SweepResult = 'done' | 'more' | 'busy';

interface Checkpoint {
  busy: number;
  log: number;
  checkpointed: number;
}

/** Also how the store tries the disk. */
export const WRITE_PROBE =
  'INSERT INTO probes (key, written_at) VALUES (1, ?1) ON CONFLICT DO UPDATE SET written_at = ?1';

/**
 * Goes through a database file and overwrites the bytes that nothing uses.
 *
 * Between two steps others write. What they change may have come from a page that is still ahead, with its unused
 * bytes, so each step begins with the pages that changed since the last one. When a step ends, all pages before
 * `#next` are clean in the file, and no connection writes from what it read before.
 */
export class Sweep {
  readonly #connection: Connection;
  readonly #logPath: string;
  readonly #file: number;
  #next = 1;
  #mark: LogMark = NO_FRAMES;
  /** Pages that changed since they were cleaned. */
  readonly #changed = new Set<number>();

  /**
   * @param path of the database
   * @param file descriptor of it
   */
  constructor(connection: Connection, path: string, file: number) {
    this.#connection = connection;
    this.#logPath = `${path}-wal`;
    this.#file = file;
  }

  /** Called while the service has no transaction open and begins none. No page is begun after `longestMs`. */
  step(longestMs: number): SweepResult {
    this.end();
    this.#noteChanges();
    const result = this.#cleanNewest(performance.now() + longestMs);
    if (result !== 'done') this.#keepLog();
    return result;
  }

  /** Lets the log be started anew. */
  end(): void {
    if (this.#connection.isTransaction) this.#connection.exec('COMMIT');
  }

  #noteChanges(): void {
    // Nothing is clean yet.
    if (this.#next === 1) return;
    const { log } = this.#checkpoint('NOOP');
    const { pages, mark } = pagesInLog(this.#logPath, Math.max(0, log), this.#mark);
    this.#mark = mark;
    for (const page of pages) this.#changed.add(page);
  }

  /** Cleans pages if the file has the newest state of all of them. Nobody else can write while it does. */
  #cleanNewest(until: number): SweepResult {
    const version = this.#version();
    const { busy, log, checkpointed } = this.#checkpoint('PASSIVE');
    if (busy !== 0 || log !== checkpointed) return 'busy';
    this.#connection.run('BEGIN IMMEDIATE');
    try {
      // Another program wrote after the log was copied.
      if (this.#version() !== version) return 'busy';
      const file = new DatabaseFile(this.#file);
      this.#clean(file, until);
      // A commit of another connection makes the writer forget the pages that it read before.
      this.#connection.run(WRITE_PROBE, Date.now() * 1_000);
      return this.#next > file.pages ? 'done' : 'more';
    } finally {
      this.#connection.run('COMMIT');
      // This connection saw its own commit alone, and shall forget them too.
      this.#connection.exec('PRAGMA shrink_memory');
    }
  }

  #clean(file: DatabaseFile, until: number): void {
    for (const page of this.#changed) if (page < this.#next) file.clean(page);
    this.#changed.clear();
    do this.#next = file.cleanFrom(this.#next);
    while (this.#next <= file.pages && performance.now() < until);
  }

  /** A log that somebody reads is not started anew more than once, so the next step finds all that is written to it. */
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
