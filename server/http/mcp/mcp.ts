import type { IncomingMessage } from 'node:http';
import type { Server } from '@modelcontextprotocol/server';
import type { Deps } from '../../deps.js';
import { MethodNotAllowedError, NotAcceptableError } from '../../errors.js';
import { authenticate } from '../../services/access/access.js';
import { credentialIdOf, tokenIdentity } from '../../services/access/principal.js';
import type { Context } from '../request/context.js';
import { asOne } from '../request/header.js';
import type { Surface } from '../request/in-process.js';
import { isForwarded, originOf } from '../request/origin.js';
import { readAs } from '../request/read-as.js';
import { type AdmissionRules, assertOrigin, isLocalHost } from './mcp-admission.js';
import { exchange } from './mcp-exchange.js';
import { readRpcMessage } from './rpc-message.js';

/** Where the tool interface is (section 4.13). */
export const MCP_PATH = '/mcp';

const JSON_TYPE = 'application/json';

/** Who is at the tool interface; undefined parts are not known. */
export interface ToolCaller {
  /** How requests made on the caller's behalf reach the service. */
  surface: Surface;
  /** As the caller's header names it. */
  organizationHeader: string | undefined;
}

interface McpOptions extends AdmissionRules {
  /** The organization that needs no credential, in local mode only (section 5.1). */
  localOrganizationId: string | undefined;
  /** Makes a server for one request: servers and connections are never shared, so no caller can get another's answer. */
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
 * @throws {NotAcceptableError}
 * @throws {BadRequestError} for what is no message of the protocol
 * @throws {UnsupportedMediaTypeError}
 * @throws {PayloadTooLargeError}
 */
export async function answerMcp(deps: McpDeps, ctx: Context, options: McpOptions): Promise<void> {
  if (ctx.method !== 'POST') throw new MethodNotAllowedError(['POST']);
  assertOrigin(ctx.req, options);
  const { sender, body } = await readAs(
    deps,
    () => readCaller(deps, ctx, options),
    async () => {
      assertAccepts(ctx.req);
      return readRpcMessage(ctx.req, deps.limits);
    },
  );
  const message = { headers: ctx.req.headers, body, signal: goneSignal(ctx) };
  const reply = await exchange(() => options.openToolServer(sender), message);
  ctx.body = reply.text ?? '';
  if (reply.text === undefined) ctx.remove('Content-Type');
  else ctx.set('Content-Type', JSON_TYPE);
  ctx.status = reply.status;
}

/** Aborted when the caller goes before it has its answer. */
function goneSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}

async function readCaller(deps: McpDeps, ctx: Context, { localOrganizationId }: McpOptions): Promise<ToolCaller> {
  const { headers } = ctx.req;
  const { authorization, 'user-agent': userAgent, 'x-organization-id': named } = headers;
  const organizationHeader = asOne(named);
  const isHere = isLocalHost(ctx.req) && !isForwarded(headers);
  const isLocal = authorization === undefined && localOrganizationId !== undefined && isHere;
  const identity = isLocal ? undefined : tokenIdentity(await authenticate(deps, authorization, organizationHeader));
  if (identity) ctx.state.credentialId = credentialIdOf(identity.principal);
  const { ip, requestId } = originOf(ctx);
  const surface: Surface = {
    source: 'mcp',
    ...(ip !== undefined && { ip }),
    ...(identity && { identity, organizationHeader }),
    ...(isLocal && { systemOrganizationId: localOrganizationId }),
    headers: {
      authorization,
      'x-organization-id': organizationHeader,
      'user-agent': userAgent,
      'x-request-id': requestId,
    },
  };
  return { surface, organizationHeader };
}

/** @throws {NotAcceptableError} for a caller that would not take the one form that answers have */
function assertAccepts({ headers }: IncomingMessage): void {
  const accepted = (headers.accept ?? '*/*').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  if (![JSON_TYPE, 'application/*', '*/*'].some((range) => accepted.includes(range))) throw new NotAcceptableError();
}
