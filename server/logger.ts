import { pino } from 'pino';

/** Logs fixed messages, ids and numbers. Never log content, bodies, query strings, headers or tokens. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export interface LogFields {
  method?: string;
  operationId?: string;
  status?: number;
  durationMs?: number;
  requestId?: string;
  organizationId?: string;
  userId?: string;
  credentialId?: string;
  code?: string;
  jobName?: string;
  /** A fault of the service; its stack is logged. */
  err?: unknown;
  [detail: `${string}Count`]: number;
}

/** Creates a logger that writes JSON lines to stderr. Stdout is for messages to the person who starts the server. */
export function createLogger(level: string): Logger {
  return pino({ level, base: { service: 'memory-service' } }, pino.destination(2));
}
