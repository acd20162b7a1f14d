import Router from '@koa/router';
import { MethodNotAllowedError, NotFoundError } from '../../../errors.js';
import type { Operation } from '../../contract/contract.js';
import type { Context, Middleware, State } from '../context.js';
import { withoutNull } from './path-parameter.js';
import { parseTarget } from './request-target.js';

/** The operation of a request, with the parts of its target. */
export interface Match {
  operation: Operation;
  /** Decoded path parameters. */
  path: Readonly<Record<string, string>>;
  /** The query string, percent-encoded. */
  query: string;
}

/**
 * Routes requests to operations as OpenAPI defines it: for every method, a path without parameters comes before one
 * with parameters. Paths are literal: letter case and a trailing slash matter. The routes throw a
 * MethodNotAllowedError for a method that the document lacks on a path.
 */
export function operationRouter(
  operations: readonly Operation[],
  answer: (ctx: Context, match: Match) => Promise<void>,
): Middleware {
  const paths = new Set(operations.map(({ path }) => path));
  const ofPath = new Map(Array.from(paths, (path) => [path, operations.filter((each) => each.path === path)]));
  const route = (ctx: Context, own: readonly Operation[], path: Match['path']) => {
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const operation = own.find((each) => each.method === method);
    if (!operation) throw new MethodNotAllowedError(allowed(own));
    return answer(ctx, { operation, path, query: parseTarget(ctx.req.url ?? '').query });
  };
  const router = new Router<State>({ sensitive: true, strict: true, exclusive: 'specificity' });
  for (const [path, own] of ofPath) {
    // For all methods: otherwise DELETE /memories/batch, which does not exist, would match DELETE /memories/{id}.
    if (path.includes('{')) router.all(toPattern(path), (ctx) => route(ctx, own, withoutNull(ctx.params)));
  }
  // The router itself adds the parameters to the context.
  const withParameters = router.routes() as unknown as Middleware;
  return (ctx, next) => {
    // The router tries the pattern of each path.
    const own = ofPath.get(ctx.path);
    return own && !ctx.path.includes('{') ? route(ctx, own, {}) : withParameters(ctx, next);
  };
}

/** Passes the unmodified path to the router. A path that is not percent-encoded UTF-8 matches no route. */
export function literalPaths(): Middleware {
  return (ctx, next) => {
    const { path } = parseTarget(ctx.req.url ?? '');
    if (!isEncoded(path)) throw new NotFoundError();
    // Koa's own getter parses the target as a URL: it throws for some targets, and drops a fragment.
    Object.defineProperty(ctx, 'path', { value: path });
    return next();
  };
}

/** Rejects requests that matched no route. */
export function noRoute(): Middleware {
  return () => {
    throw new NotFoundError();
  };
}

function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function allowed(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
