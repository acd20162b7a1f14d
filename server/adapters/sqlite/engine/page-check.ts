import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Connection } from './connection.js';
import { damage } from './errors.js';
import { workerFile } from './worker-file.js';

/** What the process that checks sends: the tables in their order, then each that it has read. */
export type PageReport = { tables: number } | { table: string; finding?: string };

/** A database up to this size is checked before the start goes on: at most some 50 ms. */
const CHECKED_AT_START_BYTES = 32 * 1024 * 1024;
/** How long a larger one is checked beside the first requests: some 10 GB where the system has it in memory. */
const LONGEST_MS = 30_000;

/** Whether a database is small enough to be checked before anything else is done with it. */
export function isCheckedAtStart(connection: Connection, bytesMax = CHECKED_AT_START_BYTES): boolean {
  const pages = connection.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
  const size = connection.get<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0;
  return pages * size <= bytesMax;
}

/** Without the first nobody can sign in, nor anything be found; the largest come last. */
const ORDER = `CASE
  WHEN name IN ('organizations', 'identity', 'users', 'memberships', 'api_tokens', 'jobs') THEN 0
  WHEN name = 'memories' THEN 2 WHEN name = 'vectors' THEN 3 WHEN name IN ('facets', 'keywords_data') THEN 4
  ELSE 1 END`;

/** The tables that have pages, in the order in which they matter. */
export function tablesOf(connection: Connection): string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY ${ORDER}, name`;
  return connection.all<{ name: string }>(sql).map(({ name }) => name);
}

/**
 * What is wrong with the structure of a table and its indexes; undefined when
 * they are sound. One table at a time, since a check of the whole also
 * compares every word of the keyword index, which takes a hundred times as
 * long: that, and what is stored, is for `memory-server check`.
 */
export function pageFault(connection: Connection, table: string): string | undefined {
  const argument = `"${table.replaceAll('"', '""')}"`;
  const [first] = connection.all<{ quick_check: string }>(`PRAGMA quick_check(${argument})`);
  if (first?.quick_check === 'ok') return undefined;
  return first?.quick_check.split('\n').at(-1) ?? 'nothing could be read';
}

/**
 * Reads the pages of a large database once in a process of its own, beside
 * what the service does. A thread would not do: the engine cannot be stopped
 * in the middle of a table there, neither at the time limit nor when the
 * service ends.
 */
export class PageCheck {
  readonly #child: ChildProcess;
  #tables = 0;
  #sound = 0;
  #isRunning = true;

  /** @param onDamage called with the first fault, as an error of the engine */
  constructor(path: string, onDamage: (error: unknown) => void, longestMs = LONGEST_MS) {
    this.#child = fork(workerFile('engine/page-check-process'), [path], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      timeout: longestMs,
      killSignal: 'SIGKILL',
    });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on('message', (report: PageReport) => {
      if ('tables' in report) this.#tables = report.tables;
      else if (report.finding === undefined) this.#sound += 1;
      else onDamage(damage(`table ${report.table}: ${report.finding}`));
    });
    const ended = () => {
      this.#isRunning = false;
    };
    this.#child.on('exit', ended);
    // What is not checked is told by `remark`.
    this.#child.on('error', ended);
    beNice(this.#child);
  }

  /** What an operator should know; undefined once every table was found sound. */
  get remark(): string | undefined {
    if (this.#isRunning) return 'the database is being checked for damage';
    if (this.#tables > 0 && this.#sound === this.#tables) return undefined;
    return `${this.#sound} of ${this.#tables} tables were checked for damage at the start: run "memory-server check"`;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Requests come first. */
function beNice({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended by now, or the system does not allow it.
  }
}
