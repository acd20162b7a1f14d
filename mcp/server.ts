import type { CallOptions } from '@memory-service/sdk';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { readArguments } from './arguments.js';
import { isObject } from './json-schema.js';
import { getPrompt, PROMPTS } from './prompts.js';
import { protocolError } from './protocol-error.js';
import { completeResource, listResources, RESOURCE_TEMPLATES, readResource } from './resources.js';
import { failure, success, toRefusal } from './result.js';
import { scopeOf } from './scope.js';
import type { ToolSession } from './session.js';
import { shorten } from './shorten.js';
import { type Catalog, type CatalogEntry, listTools } from './tools/catalog.js';

export interface ToolServerOptions {
  /** The tools, as `toCatalog` creates them from `readTools`. */
  catalog: Catalog;
  /** The version of the package. */
  version: string;
  /** Receives errors that are not error responses of the service. */
  report: (error: unknown) => void;
}

const INSTRUCTIONS =
  'Long-term memory. Search before you answer from memory and before you store. Store what will matter later: one fact ' +
  'per memory, as a self-contained sentence. A line of a result is [id] date score content.';

/** Cache hints for lists that are the same for all callers until the next release. */
const SAME_FOR_ALL = { ttlMs: 300_000, cacheScope: 'public' } as const;

/** Shared by all servers: creating it is slow, and it has no state. */
const VALIDATOR = new AjvJsonSchemaValidator();

/**
 * Creates an MCP server for one connection. It acts through one session, with the token, organization, rate limits and
 * caps of that caller.
 */
export function createToolServer(session: ToolSession, options: ToolServerOptions): Server {
  const { catalog, version, report } = options;
  const server = new Server(
    { name: 'memory-service', title: 'Memory Service', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'server/discover': SAME_FOR_ALL,
        'tools/list': SAME_FOR_ALL,
        'prompts/list': SAME_FOR_ALL,
        'resources/templates/list': SAME_FOR_ALL,
      },
      jsonSchemaValidator: VALIDATOR,
    },
  );
  const tools = listTools(catalog);

  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => {
    const entry = catalog.get(params.name);
    if (!entry)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool: tools/list returns them');
    return callTool(session, entry, params.arguments ?? {}, { signal }, report);
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/list', (_request, { mcpReq: { signal } }) =>
    protocolErrors(report, () => listResources(session, { signal })),
  );
  server.setRequestHandler('resources/read', ({ params }, { mcpReq: { signal } }) =>
    protocolErrors(report, () => readResource(session, params.uri, { signal })),
  );
  server.setRequestHandler('completion/complete', ({ params }, { mcpReq: { signal } }) =>
    protocolErrors(report, () => completeResource(session, params, { signal })),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments ?? {}));
  return server;
}

async function callTool(
  session: ToolSession,
  entry: CatalogEntry,
  given: Readonly<Record<string, unknown>>,
  options: CallOptions,
  report: (error: unknown) => void,
): Promise<CallToolResult> {
  try {
    const { input, maxChars, offset } = readArguments(entry, given);
    const body = await entry.tool.run(session.client(), input, options);
    const own = 'scope' in body && isObject(body.scope) ? body.scope : {};
    const scope = { ...scopeOf(await session.organizationId(), input), ...own };
    const shown = shorten({ ...body, scope }, maxChars, offset);
    return success(shown, entry.tool.text(shown));
  } catch (error) {
    // An error after the caller aborted is expected, and nobody reads it.
    return failure(toRefusal(error, options.signal?.aborted ? ignore : report));
  }
}

function ignore(): void {}

/** Throws errors as protocol errors, since the client reads resources, not the model. */
async function protocolErrors<T>(report: (error: unknown) => void, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw protocolError(toRefusal(error, report));
  }
}
