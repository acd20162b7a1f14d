import { StoreUnavailableError } from '../../../ports/store.js';

const UNIQUE_VIOLATION = 2067;

/** A failed fsync leaves it unknown what is on the disk, and trying again may report success wrongly: the process must end. */
const FATAL = new Set([
  1034, // SQLITE_IOERR_FSYNC
  1290, // SQLITE_IOERR_DIR_FSYNC
]);
const FATAL_PRIMARY = new Set([
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
]);

const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [5, 'the database is busy'],
  [6, 'the database is locked'],
  [7, 'out of memory'],
  [8, 'the database cannot be written'],
  [10, 'the disk failed'],
  [11, 'the database is damaged'],
  [13, 'the disk is full'],
  [14, 'the database cannot be opened'],
  [26, 'the file is not a database'],
]);

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** Whether the process must stop rather than go on with this database. */
export function isFatal(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (FATAL.has(code) || FATAL_PRIMARY.has(code & 0xff));
}

/** The port's word for an error of the engine; errors that are faults of our own stay as they are. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  const reason = code === undefined ? undefined : UNAVAILABLE.get(code & 0xff);
  return reason === undefined
    ? error
    : new StoreUnavailableError(`The store is unavailable: ${reason}`, { cause: error });
}

/** An error of the engine on its way from one thread to another, where it would lose its code. */
export interface EngineReport {
  message: string;
  errcode: number | undefined;
}

/** @param error of a connection */
export function reportOf(error: unknown): EngineReport {
  const original = error instanceof StoreUnavailableError ? error.cause : error;
  return { message: original instanceof Error ? original.message : String(original), errcode: codeOf(original) };
}

/** The error that was reported, as the engine throws it. */
export function reported({ message, errcode }: EngineReport): Error {
  return Object.assign(new Error(message), errcode !== undefined && { errcode });
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}
