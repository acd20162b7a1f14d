import { StoreFullError, StoreUnavailableError } from '../../../ports/store-errors.js';

const UNIQUE_VIOLATION = 2067;
const ENGINE_ERROR = 'ERR_SQLITE_ERROR';
const GENERIC = 1;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/**
 * The driver throws errors of `all` without a code, and the engine reports some damage of the keyword index with the
 * generic code. Both are recognized by their messages.
 */
const CODES: readonly (readonly [RegExp, number])[] = [
  [/^(?:database disk image is malformed|malformed database schema|database corruption)/, CORRUPT],
  [/^(?:fts5: (?:corrupt|missing row)|invalid fts5 file format|vtable constructor failed)/, CORRUPT],
  [/^file is not a database/, NOT_A_DATABASE],
  [/^database or disk is full/, FULL],
  [/^disk I\/O error/, 10],
  [/^database (?:table )?is locked/, 5],
  [/^unable to open database/, 14],
  [/^attempt to write a readonly database/, 8],
  [/^out of memory/, 7],
];

/** After a failed fsync the state of the disk is unknown, and a retry may wrongly succeed. So the process must end. */
const FATAL = new Set([
  1034, // SQLITE_IOERR_FSYNC
  1290, // SQLITE_IOERR_DIR_FSYNC
]);
const DAMAGE = new Set([CORRUPT, NOT_A_DATABASE]);
/** SQLITE_IOERR_SHMSIZE: the disk has no room for the index of the log. */
const NO_ROOM_FOR_LOG_INDEX = 4_874;

const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [5, 'the database is busy'],
  [6, 'the database is locked'],
  [7, 'out of memory'],
  [8, 'the database cannot be written'],
  [10, 'the disk failed'],
  [CORRUPT, 'the database is damaged'],
  [14, 'the database cannot be opened'],
  [NOT_A_DATABASE, 'the file is not a database'],
]);

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** Reports if the process must stop using this database and end. */
export function isFatal(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (FATAL.has(code) || DAMAGE.has(code & 0xff));
}

export function isDamage(error: unknown): error is Error {
  const code = codeOf(error);
  return code !== undefined && DAMAGE.has(code & 0xff);
}

/** Reports if a connection could not get a lock that another connection holds. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error instanceof StoreUnavailableError ? error.cause : error);
  return code !== undefined && (code & 0xff) === 5;
}

/** Returns an error like those that the engine throws for a damaged file. */
export function damage(finding: string): Error {
  return reported({ message: `database disk image is malformed: ${finding}`, errcode: CORRUPT });
}

/** Converts an error of the engine to an error of the port. Returns other errors, which are bugs, unchanged. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (code === FULL || code === NO_ROOM_FOR_LOG_INDEX) return new StoreFullError({ cause: error });
  const reason = code === undefined ? undefined : UNAVAILABLE.get(code & 0xff);
  return reason === undefined
    ? error
    : new StoreUnavailableError(`The store is unavailable: ${reason}`, { cause: error });
}

/** An error of the engine in a form that keeps its code between threads. */
export interface EngineReport {
  message: string;
  errcode: number | undefined;
}

export function reportOf(error: unknown): EngineReport {
  const original = error instanceof StoreUnavailableError ? error.cause : error;
  return { message: original instanceof Error ? original.message : String(original), errcode: codeOf(original) };
}

/** Rebuilds the error from its report, in the form in which the engine throws it. */
export function reported({ message, errcode }: EngineReport): Error {
  return Object.assign(new Error(message), errcode !== undefined && { errcode });
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
  const isVague = code === undefined ? 'code' in error && error.code === ENGINE_ERROR : code === GENERIC;
  return (isVague ? CODES.find(([message]) => message.test(error.message))?.[1] : undefined) ?? code;
}
