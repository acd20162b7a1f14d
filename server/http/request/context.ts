import type Koa from 'koa';
import type { OperationId } from '../contract/wire.js';

/** Properties of a request. They are logged at its end, unless their comment says otherwise. */
export interface State {
  requestId: string;
  /** Address of the client, if known; not logged. */
  ip?: string;
  operationId?: OperationId;
  organizationId?: string;
  credentialId?: string;
  /** Code of the error in the answer. */
  code?: string;
  /** Cause of a 5xx, if there is one. */
  failure?: unknown;
}

export type Context = Koa.ParameterizedContext<State>;
export type Middleware = Koa.Middleware<State>;
