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
import type { Catalog, CatalogEntry } from './tools/catalog.js';

export interface ToolServerOptions {
  /** The tools, as `toCatalog` makes them of what `readTools` reads. */
  catalog: Catalog;
  /** Of the package. */
  version: string;
  /** Told of what goes wrong beside the refusals of the service. */
  report: (error: unknown) => void;
}

const INSTRUCTIONS =
  'Long-term memory. Search before you answer from memory and before you store; store what will matter later, one fact ' +
  'a memory, so that it can be understood alone.';

/** How long a client may keep what is the same for everybody until the next release. */
const SAME_FOR_ALL = { ttlMs: 300_000, cacheScope: 'public' } as const;

/** One for all servers: making it is slow, and it keeps nothing of what it checks. */
const VALIDATOR = new AjvJsonSchemaValidator();

/**
 * An MCP server that acts through one session: with that caller's token,
 * organization, limits and quota. Serves one connection.
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
  const tools = Array.from(catalog.values(), ({ listed }) => listed);

  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => {
    const entry = catalog.get(params.name);
    if (!entry)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool: tools/list names them');
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
    return success(shorten({ ...body, scope }, maxChars, offset));
  } catch (error) {
    // Nobody reads what becomes of a call that its caller has ended, and it is no fault.
    return failure(toRefusal(error, options.signal?.aborted ? ignore : report));
  }
}

function ignore(): void {}

/** Resources are read by the client, not by the model, so their refusals are errors of the protocol. */
async function protocolErrors<T>(report: (error: unknown) => void, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw protocolError(toRefusal(error, report));
  }
}
