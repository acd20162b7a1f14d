import type { Abortable } from 'mongodb';

/** The database ends a read after this time. It is below the timeout of the socket, so that the read ends there too. */
const READ_MS = 25_000;

/** Options of each command of a read that may take long. */
export interface ReadOptions extends Abortable {
  maxTimeMS: number;
}

/** @param signal closes the connection of a command that runs, at which the database ends the command */
export function readOptions(signal?: AbortSignal): ReadOptions {
  return { maxTimeMS: READ_MS, signal };
}
