import { CLIError } from '@oclif/core/errors';
import { EXIT } from '../../exit-codes.js';
import { isParseError, usageMessage } from '../usage/usage-message.js';

interface ErrorDetail {
  path: string;
  message: string;
}

/** An error of the SDK. Recognized by shape, so that `--help` does not load the SDK. */
interface ApiError extends Error {
  status: number;
  code?: string;
  requestId?: string;
  retryAfter?: number;
  deletedMemoryId?: string;
  details?: readonly ErrorDetail[];
}

interface CommandErrorOptions {
  exit: number;
  code?: string | undefined;
  requestId?: string | undefined;
  /** The fields that the service rejected. */
  details?: readonly ErrorDetail[] | undefined;
  deletedMemoryId?: string | undefined;
}

/** An error shown to the user: the message of the service, and an exit code. */
export class CommandError extends CLIError {
  override code: string | undefined;
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** The id of the deleted memory that has the external key. */
  readonly deletedMemoryId: string | undefined;

  constructor(message: string, { exit, code, requestId, details = [], deletedMemoryId }: CommandErrorOptions) {
    super(message, { exit });
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.deletedMemoryId = deletedMemoryId;
  }
}

/** The circumstances that the explanation of an error names. */
export interface Circumstances {
  baseUrl?: string | undefined;
  commandId?: string | undefined;
}

/** Converts an error of a command to a `CommandError`. Returns unexpected errors unchanged. */
export function explainError(error: Error, { baseUrl, commandId }: Circumstances = {}): Error {
  if (isParseError(error)) return new CommandError(usageMessage(error, commandId), { exit: EXIT.usage });
  if (error instanceof CLIError) return error;
  if (isApiError(error)) {
    const { code, requestId, details, deletedMemoryId } = error;
    return new CommandError(messageOf(error), {
      exit: exitOf(error.status),
      code,
      requestId,
      details,
      deletedMemoryId,
    });
  }
  if (error.name === 'MemoryConnectionError') {
    const hint = 'is the service running, and is this its address (--base-url, MEMORY_BASE_URL)?';
    return new CommandError(`cannot reach ${baseUrl ?? 'the service'}: ${hint}`, { exit: EXIT.later });
  }
  if (error instanceof TypeError) return new CommandError(error.message, { exit: EXIT.usage });
  return error;
}

/** Returns what `--json` prints for an error. */
export function toErrorJson(error: Error): unknown {
  const { code, requestId, details = [], deletedMemoryId } = error instanceof CommandError ? error : {};
  return {
    error: error.message,
    ...(code !== undefined && { code }),
    ...(details.length > 0 && { details }),
    ...(deletedMemoryId !== undefined && { deletedMemoryId }),
    ...(requestId !== undefined && { requestId }),
  };
}

function isApiError(error: Error): error is ApiError {
  return 'status' in error && typeof error.status === 'number';
}

function messageOf({ message, status, code, details = [], retryAfter, deletedMemoryId }: ApiError): string {
  if (deletedMemoryId !== undefined) {
    return `the memory with this key is deleted: run "memory restore ${deletedMemoryId}" to restore it, or pass --restore-deleted`;
  }
  if (status === 401) {
    return 'the token is not valid, has expired or was revoked: run "memory login" with another one, or set MEMORY_TOKEN';
  }
  if (status === 404 && code === undefined) {
    return 'not found: nothing in this organization has this id, or it is deleted';
  }
  // The message of the service names the first field. With one field, that is all.
  if (details.length > 1) {
    const lines = details.map(({ path, message }) => `\n  ${path === '' ? '' : `${path} `}${message}`);
    return `${details.length} fields are not valid${lines.join('')}`;
  }
  return retryAfter === undefined ? message : `${message} (retry in ${retryAfter} s)`;
}

function exitOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  return status === 429 || status >= 500 ? EXIT.later : EXIT.failed;
}
