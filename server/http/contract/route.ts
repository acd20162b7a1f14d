import type { IncomingHttpHeaders } from 'node:http';
import type { Deps } from '../../deps.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import type { FilterForm, WireFilter } from '../../domain/memory/filter.js';
import type { Principal } from '../../services/access/principal.js';
import type { Contract } from './contract.js';
import type { ReadyBody } from './served-document.js';

/** What the generated types say of an operation's request. */
export interface OperationShape {
  body?: unknown;
  path?: unknown;
  query?: unknown;
}

/** What of the process matters to its readiness. */
export interface Lifecycle {
  /** Whether jobs do not run yet, or a client could not find the credentials of the first start yet. */
  readonly starting: boolean;
  /** Whether it is on its way out. */
  readonly stopping: boolean;
  /** Organizations whose vectors another embedder made that the service does not have. */
  readonly embeddedOtherwise: number;
}

/** What routes may use beside the services' dependencies. */
export interface RouteDeps extends Deps {
  contract: Contract;
  lifecycle: Lifecycle;
  /** Whether answers repeat the external and the subject key inside `metadata`. */
  metadataMirror: boolean;
  /** What reading the metrics takes; without it they are for this machine alone. */
  metricsToken: string | undefined;
}

/** The filter of a query string, checked against the document but not yet against the organization's settings. */
export interface QueryFilter {
  wire: WireFilter;
  form: FilterForm;
}

/** Members named in `Defaulted` have a default in the document, so they are there when a route runs. */
type Filled<Members, Defaulted> = Members & Required<Pick<Members, Extract<keyof Members, Defaulted>>>;

/** A request that passed every check before the services, its own schema in the document included. */
export interface RouteRequest<Data extends OperationShape, Defaulted = never> {
  caller: Caller;
  body: Filled<NonNullable<Data['body']>, Defaulted>;
  path: NonNullable<Data['path']>;
  query: Filled<NonNullable<Data['query']>, Defaulted>;
  filter: QueryFilter | undefined;
  headers: IncomingHttpHeaders;
  origin: Origin;
}

/** Bytes are sent as they are. */
type Answer<Body> = undefined extends Body ? { body?: undefined } : { body: Body | ReadyBody };

/** One documented answer: the status picks the body's type. */
export type Reply<Responses> = {
  [Status in keyof Responses]: { status: Status; headers?: Record<string, string> } & Answer<Responses[Status]>;
}[keyof Responses];

/**
 * A handler for one operationId: calls one service function and answers with
 * a status that openapi.yaml lists; failures are thrown as ServiceErrors.
 */
export type Route<Data extends OperationShape, Responses, Defaulted = never> = (
  request: RouteRequest<Data, Defaulted>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A handler for an operation that needs no credential. */
export type PublicRoute<Data extends OperationShape, Responses> = (
  request: Pick<RouteRequest<Data>, 'path' | 'headers' | 'origin'>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A request that carries a signature over its bytes in place of a credential. Nothing of it was looked at. */
export type SignedRequest<Data extends OperationShape> = Pick<RouteRequest<Data>, 'path' | 'headers' | 'origin'> & {
  body: Buffer;
};

/** A handler for an operation that is marked `x-raw-body`: checks the signature before anything else. */
export type SignedRoute<Data extends OperationShape, Responses> = (
  request: SignedRequest<Data>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A handler for an operation with a body that needs no credential. */
export type OpenRoute<Data extends OperationShape, Responses> = (
  request: Pick<RouteRequest<Data>, 'body' | 'origin'>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A handler that looks at what the caller proved to be, such as their session. They may act in no organization. */
export type PrincipalRoute<Data extends OperationShape, Responses> = (
  request: Pick<RouteRequest<Data>, 'body' | 'origin'> & { principal: Principal; caller: Caller | undefined },
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A reply of whatever operation; the compiler has checked it where the route is written. */
export interface AnyReply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A route of whatever operation, for the one place that calls them all. */
export type AnyRoute = (
  request: {
    principal: Principal | undefined;
    caller: Caller | undefined;
    body: unknown;
    path: unknown;
    query: unknown;
    filter: QueryFilter | undefined;
    headers: IncomingHttpHeaders;
    origin: Origin;
  },
  deps: RouteDeps,
) => Promise<AnyReply>;
