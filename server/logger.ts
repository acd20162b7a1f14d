import { pino } from 'pino';

/** What may be logged: words of ours, ids and numbers. Never content, bodies, query strings, headers or tokens. */
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
  credentialId?: string;
  code?: string;
  jobName?: string;
  /** A failure of ours; its stack is logged. */
  err?: unknown;
  [detail: `${string}Count`]: number;
}

/** JSON lines on stderr, so that stdout stays for what a person started the server to see. */
export function createLogger(level: string): Logger {
  return pino({ level, base: { service: 'memory-service' } }, pino.destination(2));
}
