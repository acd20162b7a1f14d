import type { RequestListener } from 'node:http';
import { readTools, toCatalog } from '@memory-service/mcp/catalog';
import { createToolServer } from '@memory-service/mcp/server';
import { organizationHeader, type ToolSession } from '@memory-service/mcp/session';
import { MemoryClient } from '@memory-service/sdk';
import type { Server } from '@modelcontextprotocol/server';
import type { Deps } from './deps.js';
import { inProcessFetch } from './http/mcp/in-process-fetch.js';
import type { ToolCaller } from './http/mcp/mcp.js';
import { resolveOrganization } from './services/access/access.js';

/** Never resolved: requests to it do not leave the process. */
const BASE_URL = 'http://memory.internal';

/**
 * Makes the tool servers of this process. Their tools send the requests that
 * any client would send, to this service itself, so that whatever holds for
 * the REST interface holds for the tools.
 *
 * @param listener the service
 */
export function toolServers(deps: Pick<Deps, 'logger'>, listener: RequestListener): (caller: ToolCaller) => Server {
  const { version, ...tools } = readTools();
  const catalog = toCatalog(tools);
  const report = (error: unknown) => deps.logger.error({ err: error }, 'a tool could not do its work');
  return (caller) => createToolServer(openSession(listener, caller), { catalog, version, report });
}

function openSession(listener: RequestListener, caller: ToolCaller): ToolSession {
  const { surface, organizationHeader: own } = caller;
  let organizationId = surface.systemOrganizationId;
  const onOrganization = (id: string) => {
    organizationId = id;
  };
  return {
    client(named) {
      const headers = { ...surface.headers, 'x-organization-id': organizationHeader(own, named) };
      const fetch = inProcessFetch(listener, { ...surface, headers, onOrganization });
      // Who asks is said by the surface alone, and a caller decides for itself whether to try again.
      return new MemoryClient({ baseUrl: BASE_URL, token: '', maxRetries: 0, fetch });
    },
    async organizationId() {
      if (organizationId !== undefined || !surface.identity) return organizationId;
      // Only told: whether the caller may act in it is decided for each request.
      try {
        return resolveOrganization(surface.identity, own).organizationId;
      } catch {
        return undefined;
      }
    },
  };
}
