import type { IncomingHttpHeaders } from 'node:http';
import type { Deps } from '../../deps.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import type { WireFilter } from '../../domain/filter/filter.js';
import type { FilterForm } from '../../domain/filter/filter-values.js';
import type { Principal } from '../../services/access/principal.js';
import type { Contract } from './contract.js';
import type { JsonLines } from './json-lines.js';
import type { ReadyBody } from './served-document.js';

/** The generated type of an operation's request. */
export interface OperationShape {
  body?: unknown;
  path?: unknown;
  query?: unknown;
}

/** The states of the process that affect its readiness. */
export interface Lifecycle {
  /** True while jobs do not run yet, or the credentials of the first start are not readable yet. */
  readonly starting: boolean;
  /** True while it shuts down. */
  readonly stopping: boolean;
  /** Organizations whose vectors another embedder made that the service does not have. */
  readonly embeddedOtherwise: number;
}

/** Dependencies of routes, beside those of services. */
export interface RouteDeps extends Deps {
  contract: Contract;
  lifecycle: Lifecycle;
  /** If true, answers repeat the external key and the subject key inside `metadata`. */
  metadataMirror: boolean;
  /** Bearer token for `/metrics`. If undefined, only loopback may read them. */
  metricsToken: string | undefined;
}

/** The filter of a query string, checked against the document but not yet against the organization's settings. */
export interface QueryFilter {
  wire: WireFilter;
  form: FilterForm;
}

/** Members in `Defaulted` have a default in the document, so they are present when a route runs. */
type Filled<Members, Defaulted> = Members & Required<Pick<Members, Extract<keyof Members, Defaulted>>>;

/** A request that passed every check before the services, including its schema. */
export interface RouteRequest<Data extends OperationShape, Defaulted = never> {
  caller: Caller;
  body: Filled<NonNullable<Data['body']>, Defaulted>;
  path: NonNullable<Data['path']>;
  query: Filled<NonNullable<Data['query']>, Defaulted>;
  filter: QueryFilter | undefined;
  headers: IncomingHttpHeaders;
  origin: Origin;
}

/** A ReadyBody is sent unchanged. JsonLines are the text of a body that is a string. */
type Answer<Body> = undefined extends Body
  ? { body?: undefined }
  : { body: Body | ReadyBody | (Body extends string ? JsonLines : never) };

/** A documented answer: the status determines the type of the body. */
export type Reply<Responses> = {
  [Status in keyof Responses]: { status: Status; headers?: Record<string, string> } & Answer<Responses[Status]>;
}[keyof Responses];

/**
 * A handler for one operationId. It calls one service function and returns a status that openapi.yaml lists. Failures
 * are thrown as ServiceErrors.
 */
export type Route<Data extends OperationShape, Responses, Defaulted = never> = (
  request: RouteRequest<Data, Defaulted>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A handler for an operation without a credential. */
export type PublicRoute<Data extends OperationShape, Responses> = (
  request: Pick<RouteRequest<Data>, 'path' | 'headers' | 'origin'>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A request that is authenticated by a signature over its bytes. Nothing of it is checked yet. */
export type SignedRequest<Data extends OperationShape> = Pick<RouteRequest<Data>, 'path' | 'headers' | 'origin'> & {
  body: Buffer;
};

/** A handler for an operation with `x-raw-body`. It checks the signature before anything else. */
export type SignedRoute<Data extends OperationShape, Responses> = (
  request: SignedRequest<Data>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A handler for an operation with a body and without a credential. */
export type OpenRoute<Data extends OperationShape, Responses> = (
  request: Pick<RouteRequest<Data>, 'body' | 'origin'>,
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A handler that uses the principal, such as its session. The principal may act in no organization. */
export type PrincipalRoute<Data extends OperationShape, Responses, Defaulted = never> = (
  request: Pick<RouteRequest<Data, Defaulted>, 'body' | 'path' | 'query' | 'origin'> & {
    principal: Principal;
    caller: Caller | undefined;
  },
  deps: RouteDeps,
) => Promise<Reply<Responses>>;

/** A reply of any operation. The compiler checks its type in the route. */
export interface AnyReply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A route of any operation, for the function that calls them all. */
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
