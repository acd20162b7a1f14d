import type Koa from 'koa';
import type { OperationId } from '../contract/wire.js';

/** What is known of a request so far; told to the log in the end, unless said otherwise. */
export interface State {
  requestId: string;
  /** Of the client, as far as that is known; not logged. */
  ip?: string;
  operationId?: OperationId;
  organizationId?: string;
  credentialId?: string;
  /** Of the error that was answered. */
  code?: string;
  /** What was behind a 5xx, where something was. */
  failure?: unknown;
}

export type Context = Koa.ParameterizedContext<State>;
export type Middleware = Koa.Middleware<State>;
