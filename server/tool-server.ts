import type { RequestListener } from 'node:http';
import { Binding } from '@memory-service/mcp/binding';
import { readTools, toCatalog } from '@memory-service/mcp/catalog';
import { createToolServer } from '@memory-service/mcp/server';
import { organizationHeader, type ToolSession } from '@memory-service/mcp/session';
import { MemoryClient } from '@memory-service/sdk';
import type { Server } from '@modelcontextprotocol/server';
import type { Deps } from './deps.js';
import { inProcessFetch } from './http/mcp/in-process-fetch.js';
import type { ToolCaller } from './http/mcp/mcp.js';
import type { Standing } from './ports/account-store.js';
import { resolveOrganization } from './services/access/access.js';
import type { Identity } from './services/access/principal.js';

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
  const { surface, organizationHeader: own, connection } = caller;
  const { subjectKey, project, toolset } = connection;
  const isBound = subjectKey !== undefined || project !== undefined;
  const standing = surface.identity && standingOf(surface.identity, own);
  const keyType = standing?.settings.subjectKeyType;
  const binding = isBound ? new Binding({ subjectKey, project }, keyType) : undefined;
  let organizationId = surface.systemOrganizationId ?? standing?.organizationId;
  const onOrganization = (id: string) => {
    organizationId = id;
  };
  return {
    binding,
    toolset,
    client(named) {
      const headers = { ...surface.headers, 'x-organization-id': organizationHeader(own, named) };
      const fetch = inProcessFetch(listener, { ...surface, headers, onOrganization });
      // The token is empty because the headers of the surface identify the caller. Retries are the caller's decision.
      return new MemoryClient({ baseUrl: BASE_URL, token: '', maxRetries: 0, fetch, headers: binding?.headers });
    },
    organizationId: async () => organizationId,
  };
}

/**
 * Returns where the caller acts, to display the organization and to read a subject key. Each request checks if the caller
 * may act there.
 */
function standingOf(identity: Identity, organizationHeader: string | undefined): Standing | undefined {
  try {
    return resolveOrganization(identity, organizationHeader);
  } catch {
    return undefined;
  }
}
