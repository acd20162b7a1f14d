import type { MemoryClient } from '@memory-service/sdk';
import type { Binding, Bound } from './binding/binding.js';
import type { Toolset } from './tools/catalog.js';

/** Sends requests on behalf of one caller of the tools. */
export interface ToolSession {
  /**
   * Returns a client with the caller's credential.
   *
   * @param organizationId from a resource URI; the service denies it if it differs from the caller's own
   */
  client(organizationId?: string): MemoryClient;

  /** Returns the organization of the calls, or undefined if the credential allows several or none. */
  organizationId(): Promise<string | undefined>;

  /** The subject and project of the connection. Undefined if it reaches everything that its credential may. */
  readonly binding?: Binding | undefined;

  /** The tools that the connection offers. Default: all. */
  readonly toolset?: Toolset | undefined;
}

/** Sends a request with the values that the session is bound to, of which there may be none. */
export function inBinding<T>({ binding }: ToolSession, send: (bound: Bound) => Promise<T>): Promise<T> {
  return binding ? binding.run(send) : send({});
}

/** Returns `X-Organization-Id` for a URI. If the two differ, it contains both, so that it matches none (section 5.3). */
export function organizationHeader(own: string | undefined, named: string | undefined): string | undefined {
  if (own === undefined || named === undefined) return named ?? own;
  return own.toLowerCase() === named.toLowerCase() ? own : `${own}, ${named}`;
}
