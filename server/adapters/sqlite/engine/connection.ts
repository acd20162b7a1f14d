import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { isFatal, translated } from './errors.js';

export type SqlValue = null | number | string | Uint8Array;

export interface ConnectionOptions {
  readOnly?: boolean;
  /** How long a statement waits for a lock. The wait blocks the thread. */
  busyTimeoutMs?: number;
  onFatal?: (error: unknown) => void;
}

/** A prepared statement whose rows are arrays, and the names of their columns. */
interface Prepared {
  statement: StatementSyncInstance;
  names: readonly string[];
}

/** Filters produce many different statements. Beyond this number, the oldest is dropped. */
const MAX_STATEMENTS = 400;

/**
 * A connection that keeps its prepared statements by their text. Build a text
 * that every request needs only once. Write limits as `LIMIT +?`: with a bare
 * parameter, the engine plans the statement again at each run.
 *
 * @throws {StoreUnavailableError} from every method if the engine is busy, out of disk space, or broken
 */
export class Connection {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, Prepared>();
  readonly #onFatal: (error: unknown) => void;
  #observer: (sql: string) => void = () => {};

  constructor(path: string, { readOnly = false, busyTimeoutMs = 5_000, onFatal = () => {} }: ConnectionOptions = {}) {
    this.#onFatal = onFatal;
    this.#database = this.#guarded(() => new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs }));
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** @param observer called with each statement before it runs */
  observe(observer: (sql: string) => void): void {
    this.#observer = observer;
  }

  /** Runs statements without parameters, and does not keep them. */
  exec(sql: string): void {
    this.#observer(sql);
    this.#guarded(() => this.#database.exec(sql));
  }

  /** Returns the id of the row inserted last, if any, and the number of rows changed. */
  run(sql: string, ...parameters: SqlValue[]): { rowId: number; changes: number } {
    try {
      const { lastInsertRowid, changes } = this.#prepared(sql).statement.run(...parameters);
      return { rowId: Number(lastInsertRowid), changes };
    } catch (error) {
      throw this.#translated(error);
    }
  }

  get<Row>(sql: string, ...parameters: SqlValue[]): Row | undefined {
    try {
      const { statement, names } = this.#prepared(sql);
      const values: SqlValue[] | undefined = statement.get(...parameters);
      return values && toRow<Row>(names, values);
    } catch (error) {
      throw this.#translated(error);
    }
  }

  all<Row>(sql: string, ...parameters: SqlValue[]): Row[] {
    try {
      const { statement, names } = this.#prepared(sql);
      const rows: SqlValue[][] = statement.all(...parameters);
      return rows.map((values) => toRow<Row>(names, values));
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /**
   * Rolls back an open transaction. The engine keeps a connection whose statements are not collected yet, and its
   * transaction would keep the log from restarting until then.
   */
  close(): void {
    this.#statements.clear();
    if (!this.#database.isOpen) return;
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } finally {
      this.#database.close();
    }
  }

  #prepared(sql: string): Prepared {
    this.#observer(sql);
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, names: statement.columns().map(({ name }) => name) };
    this.#statements.set(sql, prepared);
    if (this.#statements.size > MAX_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return prepared;
  }

  #guarded<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw this.#translated(error);
    }
  }

  #translated(error: unknown): unknown {
    if (isFatal(error)) this.#onFatal(error);
    return translated(error);
  }
}

/** Builds the object of a row. The driver takes up to twice as long, since it names each property again. */
function toRow<Row>(names: readonly string[], values: readonly SqlValue[]): Row {
  const row: Record<string, SqlValue> = {};
  for (let at = 0; at < names.length; at += 1) row[names[at] as string] = values[at] as SqlValue;
  return row as Row;
}
