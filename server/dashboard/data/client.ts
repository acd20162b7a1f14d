import { MemoryClient } from '@memory-service/sdk';
import { fetchOrTakeEarly, forgetEarlyReads } from './early-reads.js';

/** Clients by organization. Each holds the CSRF token of the session, which therefore exists only in memory. */
const clients = new Map<string | undefined, MemoryClient>();

/** Returns the client that acts in an organization, with the session of the browser's cookie. */
export function clientOf(organizationId?: string): MemoryClient {
  const made =
    clients.get(organizationId) ??
    // Retries are those of the query client, because the pages show them.
    new MemoryClient({
      baseUrl: location.origin,
      token: '',
      organizationId,
      maxRetries: 0,
      fetch: fetchOrTakeEarly,
    });
  clients.set(organizationId, made);
  return made;
}

/** Drops all clients and what they know of the session. */
export function forgetClients(): void {
  clients.clear();
  forgetEarlyReads();
}
