import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { isFatal, translated } from './errors.js';

export type SqlValue = null | number | string | Uint8Array;

export interface ConnectionOptions {
  readOnly?: boolean;
  /** How long a statement waits for a lock. The wait blocks the process. */
  busyTimeoutMs?: number;
  onFatal?: (error: unknown) => void;
}

/** Filters make statements of many shapes: the oldest are let go, and made again when they are needed. */
const MOST_STATEMENTS = 400;

/**
 * One connection with its prepared statements, which are found by their text:
 * a text that every request needs is put together once. Limits are written
 * `LIMIT +?`, since the engine plans a statement anew each time it is run with
 * a bare parameter for its limit.
 *
 * @throws {StoreUnavailableError} from every method when the engine is busy, out of disk, or broken
 */
export class Connection {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #onFatal: (error: unknown) => void;

  constructor(path: string, { readOnly = false, busyTimeoutMs = 5_000, onFatal = () => {} }: ConnectionOptions = {}) {
    this.#onFatal = onFatal;
    this.#database = this.#guarded(() => new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs }));
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs statements without parameters; not kept. */
  exec(sql: string): void {
    this.#guarded(() => this.#database.exec(sql));
  }

  /** The id of the row inserted last, where one was, and how many rows changed. */
  run(sql: string, ...parameters: SqlValue[]): { rowId: number; changes: number } {
    const { lastInsertRowid, changes } = this.#guarded(() => this.#statement(sql).run(...parameters));
    return { rowId: Number(lastInsertRowid), changes };
  }

  get<Row>(sql: string, ...parameters: SqlValue[]): Row | undefined {
    return this.#guarded(() => this.#statement(sql).get(...parameters));
  }

  all<Row>(sql: string, ...parameters: SqlValue[]): Row[] {
    return this.#guarded(() => this.#statement(sql).all(...parameters)) as Row[];
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #statement(sql: string): StatementSyncInstance {
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > MOST_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }

  #guarded<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      if (isFatal(error)) this.#onFatal(error);
      throw translated(error);
    }
  }
}
