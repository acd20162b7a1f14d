import { Errors } from '@oclif/core';
import { EXIT } from '../exit-codes.js';

/** Words of an error of the SDK; told apart by shape, so that `--help` need not load the SDK. */
interface ApiError extends Error {
  status: number;
  code?: string;
  requestId?: string;
  retryAfter?: number;
  deletedMemoryId?: string;
  details?: readonly { path: string; message: string }[];
}

/** A failure as the user is told it: the service's own words, and the exit code of its kind. */
export class CommandError extends Errors.CLIError {
  override code: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, options: { exit: number; code?: string | undefined; requestId?: string | undefined }) {
    super(message, { exit: options.exit });
    this.code = options.code;
    this.requestId = options.requestId;
  }
}

/** The error to end with in place of one that a command threw; what nobody foresaw stays as it is. */
export function explainError(error: Error, baseUrl: string | undefined): Error {
  if (error instanceof Errors.CLIError) return error;
  if (isApiError(error)) {
    const { code, requestId } = error;
    return new CommandError(messageOf(error), { exit: exitOf(error.status), code, requestId });
  }
  if (error.name === 'MemoryConnectionError') {
    const hint = 'is the service running, and is this its address (--base-url, MEMORY_BASE_URL)?';
    return new CommandError(`cannot reach ${baseUrl ?? 'the service'}: ${hint}`, { exit: EXIT.later });
  }
  if (error instanceof TypeError) return new CommandError(error.message, { exit: EXIT.usage });
  return error;
}

function isApiError(error: Error): error is ApiError {
  return 'status' in error && typeof error.status === 'number';
}

function messageOf({ message, details = [], retryAfter, deletedMemoryId }: ApiError): string {
  if (deletedMemoryId !== undefined) {
    return `the memory with this key was deleted: "memory restore ${deletedMemoryId}" brings it back`;
  }
  const fields = details.map(({ path, message }) => `\n  ${path === '' ? '' : `${path} `}${message}`).join('');
  const wait = retryAfter === undefined ? '' : ` (retry in ${retryAfter} s)`;
  return `${message}${wait}${fields}`;
}

function exitOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  return status === 429 || status >= 500 ? EXIT.later : EXIT.failed;
}
