import { Errors } from '@oclif/core';
import { EXIT } from '../exit-codes.js';

/** An error of the SDK. Recognized by shape, so that `--help` does not load the SDK. */
interface ApiError extends Error {
  status: number;
  code?: string;
  requestId?: string;
  retryAfter?: number;
  deletedMemoryId?: string;
  details?: readonly { path: string; message: string }[];
}

/** An error shown to the user: the message of the service, and an exit code. */
export class CommandError extends Errors.CLIError {
  override code: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, options: { exit: number; code?: string | undefined; requestId?: string | undefined }) {
    super(message, { exit: options.exit });
    this.code = options.code;
    this.requestId = options.requestId;
  }
}

/** Converts an error of a command to a `CommandError`. Returns unexpected errors unchanged. */
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
    return `the memory with this key is deleted: run "memory restore ${deletedMemoryId}" to restore it`;
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
