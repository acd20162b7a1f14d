import type { IncomingMessage } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Deps } from '../deps.js';
import { MethodNotAllowedError } from '../errors.js';
import type { ApiToken } from '../ports/account-store.js';
import { authenticate } from '../services/access.js';
import type { Context } from './context.js';
import type { Surface } from './in-process.js';
import { type AdmissionRules, assertOrigin, isLocalHost } from './mcp-admission.js';
import { originOf } from './origin.js';
import { readRpcMessage } from './rpc-message.js';

/** Where the tool interface is (section 4.13). */
export const MCP_PATH = '/mcp';

/** Who is at the tool interface; undefined parts are not known. */
export interface ToolCaller {
  /** How requests made on the caller's behalf reach the service. */
  surface: Surface;
  /** Undefined for the local exception of section 5.1. */
  token: ApiToken | undefined;
  /** As the caller's header names it. */
  organizationHeader: string | undefined;
}

export interface McpOptions extends AdmissionRules {
  /** The organization that needs no credential, in local mode only (section 5.1). */
  localOrganizationId: string | undefined;
  /** Makes a server for one request: servers and transports are never shared, so no caller can get another's answer. */
  openToolServer: (caller: ToolCaller) => Server;
}

type McpDeps = Pick<Deps, 'store' | 'now' | 'limits'>;

/**
 * Answers a request of the Streamable HTTP transport, without sessions and in
 * one JSON object.
 *
 * @throws {MethodNotAllowedError} for everything but POST: there is no stream to open and no session to end
 * @throws {ForbiddenError} `origin_forbidden`
 * @throws {UnauthenticatedError}
 * @throws {UnsupportedMediaTypeError}
 * @throws {PayloadTooLargeError}
 */
export async function answerMcp(deps: McpDeps, ctx: Context, options: McpOptions): Promise<void> {
  if (ctx.method !== 'POST') throw new MethodNotAllowedError(['POST']);
  assertOrigin(ctx.req, options);
  const caller = await readCaller(deps, ctx, options);
  const message = await readRpcMessage(ctx.req, deps.limits);
  const server = options.openToolServer(caller);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const hangUp = () => void server.close();
  ctx.res.once('close', hangUp);
  try {
    await server.connect(transport);
    await writeResponse(ctx, await transport.handleRequest(toRequest(ctx.req), { parsedBody: message }));
  } finally {
    ctx.res.off('close', hangUp);
    await server.close();
  }
}

async function readCaller(deps: McpDeps, ctx: Context, { localOrganizationId }: McpOptions): Promise<ToolCaller> {
  const { authorization, 'user-agent': userAgent, 'x-organization-id': named } = ctx.req.headers;
  const organizationHeader = Array.isArray(named) ? named.join(', ') : named;
  const isLocal = authorization === undefined && localOrganizationId !== undefined && isLocalHost(ctx.req);
  const token = isLocal ? undefined : await authenticate(deps, authorization);
  if (token) ctx.state.credentialId = token.id;
  const { ip, requestId } = originOf(ctx);
  const surface: Surface = {
    source: 'mcp',
    ...(ip !== undefined && { ip }),
    ...(isLocal && { systemOrganizationId: localOrganizationId }),
    headers: {
      authorization,
      'x-organization-id': organizationHeader,
      'user-agent': userAgent,
      'x-request-id': requestId,
    },
  };
  return { surface, token, organizationHeader };
}

/** The transport reads its headers alone; where the request went has been decided already. */
function toRequest({ headers }: IncomingMessage): Request {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value ?? '')]);
  return new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers: given });
}

async function writeResponse(ctx: Context, response: Response): Promise<void> {
  const text = await response.text();
  ctx.body = text === '' ? null : text;
  ctx.status = response.status;
  const mediaType = response.headers.get('content-type');
  if (text !== '' && mediaType !== null) ctx.set('Content-Type', mediaType);
}
