import { MethodNotAllowedError, NotFoundError } from '../../../errors.js';
import type { Operation } from '../../contract/contract.js';
import type { Context, Middleware } from '../context.js';
import { PathTree } from './path-tree.js';
import { targetOf } from './request-target.js';

/** The operation of a request, with the parts of its target. */
export interface Match {
  operation: Operation;
  /** Decoded path parameters. */
  path: Readonly<Record<string, string>>;
  /** The query string, percent-encoded. */
  query: string;
}

/** The operations of one path. */
interface Place {
  byMethod: ReadonlyMap<string, Operation>;
  allowed: string[];
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
  const literal = new Map<string, Place>();
  const withParameters = new PathTree<Place>();
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const place = placeOf(operations.filter((operation) => operation.path === path));
    if (path.includes('{')) withParameters.add(path, place);
    else literal.set(path, place);
  }
  const route = (ctx: Context, { byMethod, allowed }: Place, path: Match['path']) => {
    const operation = byMethod.get(ctx.method);
    // A path is one place for all methods: DELETE /memories/batch, which does not exist, is not DELETE /memories/{id}.
    if (!operation) throw new MethodNotAllowedError(allowed);
    return answer(ctx, { operation, path, query: targetOf(ctx).query });
  };
  return (ctx, next) => {
    // Koa's own path is that of a parsed URL, which drops a fragment. Some targets it cannot parse.
    const { path } = targetOf(ctx);
    const own = literal.get(path);
    if (own) return route(ctx, own, {});
    const found = withParameters.find(path);
    return found ? route(ctx, found.value, found.path) : next();
  };
}

/** Rejects a path that is not percent-encoded UTF-8, since it matches no route. */
export function encodedPaths(): Middleware {
  return (ctx, next) => {
    if (!isEncoded(targetOf(ctx).path)) throw new NotFoundError();
    return next();
  };
}

/** Rejects requests that matched no route. */
export function noRoute(): Middleware {
  return () => {
    throw new NotFoundError();
  };
}

function placeOf(operations: readonly Operation[]): Place {
  const answered = operations.flatMap((operation): [string, Operation][] =>
    operation.method === 'GET'
      ? [
          ['GET', operation],
          ['HEAD', operation],
        ]
      : [[operation.method, operation]],
  );
  return { byMethod: new Map(answered), allowed: answered.map(([method]) => method) };
}

function isEncoded(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
