import type { CallOptions, MemoryClient } from '@memory-service/sdk';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { readArguments } from './arguments.js';
import { type Called, callBound, isKeyRejected, toBoundRefusal } from './binding/bound-call.js';
import { isObject } from './json-schema.js';
import { getPrompt, PROMPTS } from './prompts.js';
import { protocolError } from './protocol-error.js';
import { completeResource, listResources } from './resources/list-resources.js';
import { readResource } from './resources/read-resource.js';
import { RESOURCE_TEMPLATES } from './resources/templates.js';
import { failure, success, toRefusal } from './result.js';
import { scopeOf } from './scope.js';
import type { ToolSession } from './session.js';
import { shorten } from './shorten.js';
import { type Catalog, type CatalogEntry, listTools, selectTools } from './tools/catalog.js';

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
  const { version, report } = options;
  const { binding, toolset = 'all' } = session;
  const catalog = selectTools(options.catalog, toolset);
  // Shared caches must not keep a list that depends on the connection.
  const toolCache = binding || toolset !== 'all' ? ({ ...SAME_FOR_ALL, cacheScope: 'private' } as const) : SAME_FOR_ALL;
  const server = new Server(
    { name: 'memory-service', title: 'Memory Service', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'server/discover': SAME_FOR_ALL,
        'tools/list': toolCache,
        'prompts/list': SAME_FOR_ALL,
        'resources/templates/list': SAME_FOR_ALL,
      },
      jsonSchemaValidator: VALIDATOR,
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listTools(catalog, binding?.fixed) }));
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
  const client = session.client();
  try {
    const { input, maxChars, offset } = readArguments(entry, given);
    const called = await call(session, client, { tool: entry.tool, input }, options);
    const own = isObject(called.body.scope) ? called.body.scope : {};
    const scope = { ...scopeOf(await session.organizationId(), called.input), ...own };
    const shown = shorten({ ...called.body, scope }, maxChars, offset);
    return success(shown, entry.tool.text(shown));
  } catch (error) {
    // An error after the caller aborted is expected, and nobody reads it.
    const refusal = toRefusal(error, options.signal?.aborted ? ignore : report);
    const { binding } = session;
    return failure(binding ? await binding.run((bound) => toBoundRefusal(client, refusal, bound, options)) : refusal);
  }
}

async function call(
  { binding }: ToolSession,
  client: MemoryClient,
  { tool, input }: Pick<CatalogEntry, 'tool'> & { input: Called['input'] },
  options: CallOptions,
): Promise<Called> {
  if (!binding) return { input, body: { ...(await tool.run(client, input, options)) } };
  return binding.run((bound) => callBound(tool, client, { input, bound }, options), isKeyRejected);
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
