import { MethodNotAllowedError, NotFoundError } from '../../errors.js';
import type { Operation } from '../contract/contract.js';
import { decodeParameter } from './path-parameter.js';

/** The operation that a request is for, and what its path says. */
export interface Match {
  operation: Operation;
  path: Readonly<Record<string, string>>;
}

interface Place {
  pattern: RegExp;
  operations: Map<string, Operation>;
}

/**
 * Finds operations by method and path as OpenAPI has it: a path without
 * parameters goes before one with them, under every method. Paths are taken
 * literally, a trailing slash included.
 */
export class Router {
  private readonly fixed = new Map<string, Place>();
  private readonly templated: Place[] = [];

  constructor(operations: readonly Operation[]) {
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const own = operations.filter((operation) => operation.path === path);
      const place = { pattern: toPattern(path), operations: new Map(own.map((each) => [each.method, each])) };
      if (path.includes('{')) this.templated.push(place);
      else this.fixed.set(path, place);
    }
  }

  /**
   * @param path as it was sent, percent-encoded
   * @throws {NotFoundError} for a path that the document does not list
   * @throws {MethodNotAllowedError} for a method that it does not list there
   */
  match(method: string, path: string): Match {
    const place = this.fixed.get(path) ?? this.templated.find(({ pattern }) => pattern.test(path));
    if (!place) throw new NotFoundError();
    const operation = place.operations.get(method === 'HEAD' ? 'GET' : method);
    if (!operation) throw new MethodNotAllowedError(allowed(place));
    return { operation, path: readParameters(place.pattern, path) };
  }
}

function allowed({ operations }: Place): string[] {
  return Array.from(operations.keys()).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function toPattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

function readParameters(pattern: RegExp, path: string): Record<string, string> {
  const groups = pattern.exec(path)?.groups ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeParameter(value)]));
}
