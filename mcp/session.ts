import type { MemoryClient } from '@memory-service/sdk';

/** One caller of the tools, and how requests are made on that caller's behalf. */
export interface ToolSession {
  /**
   * A client that acts with the caller's credential.
   *
   * @param organizationId as a resource URI names it; the service denies one that disagrees with the caller's own
   */
  client(organizationId?: string): MemoryClient;

  /** The organization that calls act in; undefined where the credential leaves it open or reaches none. */
  organizationId(): Promise<string | undefined>;
}

/** What to send as `X-Organization-Id` for a URI: both names where they disagree, which together name none (section 5.3). */
export function organizationHeader(own: string | undefined, named: string | undefined): string | undefined {
  if (own === undefined || named === undefined) return named ?? own;
  return own.toLowerCase() === named.toLowerCase() ? own : `${own}, ${named}`;
}
