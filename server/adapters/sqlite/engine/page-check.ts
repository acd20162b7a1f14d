import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Connection } from './connection.js';
import { damage } from './errors.js';
import { workerFile } from './threads/worker-file.js';

/** A message of the checking process: first the number of tables, then the result of each. */
export type PageReport = { tables: number } | { table: string; finding?: string };

/** Maximum size of a database that is checked before the start continues: at most some 50 ms. */
const MAX_CHECKED_AT_START_BYTES = 32 * 1024 * 1024;
/** Time before the check of a larger database. Starting a process takes some 15 ms, which delay no first request then. */
const STARTS_AFTER_MS = 500;
/** Time limit of the check of a larger database, beside the first requests: enough for some 10 GB in the page cache. */
const MAX_CHECK_MS = 30_000;

/** Reports if a database is small enough to be checked before it is used. */
export function isCheckedAtStart(connection: Connection, maxBytes = MAX_CHECKED_AT_START_BYTES): boolean {
  const pages = connection.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
  const size = connection.get<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0;
  return pages * size <= maxBytes;
}

/** The tables that sign-in and every request require come first, the largest come last. */
const ORDER = `CASE
  WHEN name IN ('organizations', 'identity', 'users', 'memberships', 'api_tokens', 'jobs') THEN 0
  WHEN name = 'memories' THEN 2 WHEN name = 'vectors' THEN 3 WHEN name IN ('facets', 'keywords_data') THEN 4
  ELSE 1 END`;

/** Returns the tables that have pages, most important first. */
export function tablesOf(connection: Connection): string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY ${ORDER}, name`;
  return connection.all<{ name: string }>(sql).map(({ name }) => name);
}

/**
 * Returns the first fault in the structure of a table and its indexes, or
 * undefined if there is none. A check of the whole database would also compare
 * every word of the keyword index, which is a hundred times slower.
 * `memory-server check` does that, and also checks the stored values.
 */
export function pageFault(connection: Connection, table: string): string | undefined {
  const argument = `"${table.replaceAll('"', '""')}"`;
  const [first] = connection.all<{ quick_check: string }>(`PRAGMA quick_check(${argument})`);
  if (first?.quick_check === 'ok') return undefined;
  return first?.quick_check.split('\n').at(-1) ?? 'nothing could be read';
}

/**
 * Checks the pages of a large database once, in a separate process, while the
 * service works. A thread is not enough: it cannot stop the engine in the
 * middle of a table, at the time limit or when the service ends.
 */
export class PageCheck {
  readonly #starting: NodeJS.Timeout;
  #child: ChildProcess | undefined;
  #tables = 0;
  #sound = 0;
  #isRunning = true;

  /** @param onDamage receives the first fault as an error of the engine */
  constructor(path: string, onDamage: (error: unknown) => void, maxMs = MAX_CHECK_MS) {
    this.#starting = setTimeout(() => this.#start(path, onDamage, maxMs), STARTS_AFTER_MS).unref();
  }

  /** The state of the check for the operator, also before it starts. Undefined after every table passed. */
  get remark(): string | undefined {
    if (this.#isRunning) return 'the database is being checked for damage';
    if (this.#tables > 0 && this.#sound === this.#tables) return undefined;
    return `only ${this.#sound} of ${this.#tables} tables were checked for damage at the start: run "memory-server check"`;
  }

  /** True while its process reads the database. */
  get isReading(): boolean {
    return this.#isRunning && this.#child !== undefined;
  }

  stop(): void {
    clearTimeout(this.#starting);
    this.#child?.kill('SIGKILL');
  }

  #start(path: string, onDamage: (error: unknown) => void, maxMs: number): void {
    const child = fork(workerFile('engine/page-check-process'), [path], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      timeout: maxMs,
      killSignal: 'SIGKILL',
    });
    this.#child = child;
    child.unref();
    child.channel?.unref();
    child.on('message', (report: PageReport) => {
      if ('tables' in report) this.#tables = report.tables;
      else if (report.finding === undefined) this.#sound += 1;
      else onDamage(damage(`table ${report.table}: ${report.finding}`));
    });
    const ended = () => {
      this.#isRunning = false;
    };
    child.on('exit', ended);
    // `remark` then reports the tables that were not checked.
    child.on('error', ended);
    beNice(child);
  }
}

/** Lowers the priority, so that requests go first. */
function beNice({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has already ended, or the system does not permit it.
  }
}
