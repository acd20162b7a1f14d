import type Koa from 'koa';
import type { OperationId } from '../contract/wire.js';
import type { RequestTarget } from './address/request-target.js';

/** Properties of a request. They are logged at its end, unless their comment says otherwise. */
export interface State {
  requestId: string;
  /** Parts of the request target, once they are parsed; not logged. */
  target?: RequestTarget;
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
