import type { MemoryClient } from '@memory-service/sdk';

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
}

/** Returns `X-Organization-Id` for a URI. If the two differ, it contains both, so that it matches none (section 5.3). */
export function organizationHeader(own: string | undefined, named: string | undefined): string | undefined {
  if (own === undefined || named === undefined) return named ?? own;
  return own.toLowerCase() === named.toLowerCase() ? own : `${own}, ${named}`;
}
