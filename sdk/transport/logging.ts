import { MemoryApiError } from '../errors.js';
import { isNode, variable } from './environment.js';

/** How much the client logs. `warn`: calls that fail although they may be repeated. `info`: also retries. `debug`: also each attempt. */
export type LogLevel = 'off' | 'warn' | 'info' | 'debug';

/** Receives the log of a client, for example `console` or a logger of pino or winston. */
export interface Logger {
  warn(message: string, attempt: AttemptReport): void;
  info(message: string, attempt: AttemptReport): void;
  debug(message: string, attempt: AttemptReport): void;
}

/** An attempt of a call. It contains no token, no query and no content. */
export interface AttemptReport {
  /** The operationId of the contract, such as `searchMemories`; of `client.request` the method and the path. */
  operation: string;
  /** Counts the attempts of the call, from 1. */
  attempt: number;
  /** The time from sending to the last byte of the response. */
  durationMs: number;
  /** Absent if no response came. */
  status?: number | undefined;
  requestId?: string | undefined;
  /** The error code of the service, or the name of the error. */
  error?: string | undefined;
  /** Delay before the next attempt. Present if there is one. */
  delayMs?: number | undefined;
}

const LEVELS: readonly LogLevel[] = ['off', 'warn', 'info', 'debug'];

/** Writes the attempts of calls to a logger. */
export class Log {
  readonly #logger: Logger | undefined;
  readonly #most: number;

  constructor({ logger, logLevel }: { logger?: Logger | undefined; logLevel?: LogLevel | undefined }) {
    const named = LEVELS.find((level) => level === variable('MEMORY_LOG'));
    this.#logger = logger;
    this.#most = LEVELS.indexOf(logLevel ?? named ?? (logger ? 'warn' : 'off'));
  }

  write(level: Exclude<LogLevel, 'off'>, report: AttemptReport): void {
    if (LEVELS.indexOf(level) > this.#most) return;
    const text = `memory-service: ${textOf(report)}`;
    if (this.#logger) this.#logger[level](text, report);
    // Standard output may carry the data of a program, such as the messages of a tool server.
    else console[isNode() ? 'error' : level](text);
  }
}

/** Describes an error in the log, without its message, which may quote a request. */
export function reportOf(error: unknown): Pick<AttemptReport, 'status' | 'requestId' | 'error'> {
  if (!(error instanceof MemoryApiError)) return { error: error instanceof Error ? error.name : 'aborted' };
  const { status, requestId, code, name } = error;
  return { status, requestId, error: code ?? name };
}

function textOf({ operation, attempt, durationMs, status, requestId, error, delayMs }: AttemptReport): string {
  const result = [status, error].filter((part) => part !== undefined).join(' ');
  const request = requestId === undefined ? '' : `, request ${requestId}`;
  const next = delayMs === undefined ? '' : `, retry in ${Math.round(delayMs)} ms`;
  return `${operation} attempt ${attempt}: ${result} after ${durationMs} ms${request}${next}`;
}
