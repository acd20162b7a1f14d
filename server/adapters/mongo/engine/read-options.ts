import type { Abortable } from 'mongodb';

/** Time after which the database aborts a read. It is below the socket timeout, which would not end the read there. */
export const READ_TIMEOUT_MS = 25_000;

/** Time after which the database aborts a command of a unit of work, since the unit fails at its deadline. */
export const WRITE_TIMEOUT_MS = 10_000;

/** Options of each command of a read that may take long. */
export interface ReadOptions extends Abortable {
  maxTimeMS: number;
}

/** @param signal closes the connection of a running command, which makes the database abort it */
export function readOptions(signal?: AbortSignal): ReadOptions {
  return { maxTimeMS: READ_TIMEOUT_MS, signal };
}
