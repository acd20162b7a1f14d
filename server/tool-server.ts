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

/** Placeholder that is never resolved, because requests to it stay in the process. */
const BASE_URL = 'http://memory.internal';

/**
 * Returns a function that creates a tool server for a caller. The tools send ordinary REST requests to this service, so
 * that all rules of the REST interface apply to tools too.
 *
 * @param listener handles the requests of the tools
 */
export function toolServers(deps: Pick<Deps, 'logger'>, listener: RequestListener): (caller: ToolCaller) => Server {
  const { version, ...tools } = readTools();
  const catalog = toCatalog(tools);
  const report = (error: unknown) => deps.logger.error({ err: error }, 'a tool failed');
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
      // The token is empty because the headers of the surface identify the caller. Retries are the caller's decision.
      return new MemoryClient({ baseUrl: BASE_URL, token: '', maxRetries: 0, fetch });
    },
    async organizationId() {
      if (organizationId !== undefined || !surface.identity) return organizationId;
      // This is only displayed. Each request checks if the caller may use the organization.
      try {
        return resolveOrganization(surface.identity, own).organizationId;
      } catch {
        return undefined;
      }
    },
  };
}
