import type { IncomingMessage } from 'node:http';
import type { Server } from '@modelcontextprotocol/server';
import type { Deps } from '../../deps.js';
import { MethodNotAllowedError, NotAcceptableError } from '../../errors.js';
import { authenticate, resolveOrganization } from '../../services/access/access.js';
import { credentialIdOf, type Identity, tokenIdentity } from '../../services/access/principal.js';
import { asOne } from '../request/address/header.js';
import { isForwarded, originOf } from '../request/address/origin.js';
import { SYSTEM_PRINCIPAL } from '../request/caller/authorize.js';
import type { Surface } from '../request/caller/in-process.js';
import { readAs } from '../request/caller/read-as.js';
import type { Context } from '../request/context.js';
import { goneSignal } from '../request/turns/answer-end.js';
import { limitRate } from '../request/turns/rate-limit.js';
import type { RequestShares } from '../request/turns/request-shares.js';
import { type AdmissionRules, assertOrigin, isLocalHost } from './mcp-admission.js';
import { readRpcMessage } from './rpc-message.js';
import { readToolConnection, type ToolConnection } from './tool-connection.js';

/** Path of the tool interface (section 4.13). */
export const MCP_PATH = '/mcp';

const JSON_TYPE = 'application/json';

/** The caller of a tool. Undefined members are not known. */
export interface ToolCaller {
  /** How requests on the caller's behalf reach the service. */
  surface: Surface;
  /** Value of the caller's header. */
  organizationHeader: string | undefined;
  /** The limits that the headers of the connection set. */
  connection: ToolConnection;
}

interface McpOptions extends AdmissionRules {
  shares: RequestShares;
  /** The organization that needs no credential, in local mode only (section 5.1). */
  localOrganizationId: string | undefined;
  /**
   * Loads the factory of servers. Each request gets its own server and connection, so that no caller can get
   * another's answer.
   */
  loadToolServers: () => Promise<(caller: ToolCaller) => Server>;
}

type McpDeps = Pick<Deps, 'store' | 'now' | 'limits' | 'rateLimiter'>;

/** How a message is counted. Requests of its tool are counted separately. */
const MESSAGE = { tags: [], rateLimitClass: 'tools' } as const;

/**
 * Answers a request of the Streamable HTTP transport, without sessions and with one JSON object.
 *
 * @throws {MethodNotAllowedError} for methods other than POST: there are no streams to open and no sessions to end
 * @throws {UnavailableError} while the event loop is late
 */
export async function answerMcp(deps: McpDeps, ctx: Context, options: McpOptions): Promise<void> {
  if (ctx.method !== 'POST') throw new MethodNotAllowedError(['POST']);
  assertOrigin(ctx.req, options);
  const { sender, body } = await readAs(
    deps,
    () => readCaller(deps, ctx, options),
    async (sender) => {
      options.shares.assertInTime(ctx, MESSAGE);
      await limitRate(deps, ctx, MESSAGE, countedAs(ctx, sender.surface));
      assertAccepts(ctx.req);
      return readRpcMessage(ctx, deps.limits, options.shares);
    },
  );
  using _ = options.shares.begin(ctx, MESSAGE);
  const message = { headers: ctx.req.headers, body, signal: goneSignal(ctx) };
  // The protocol library takes a quarter of the start, and many deployments never serve a tool.
  const [openToolServer, { exchange }] = await Promise.all([options.loadToolServers(), import('./mcp-exchange.js')]);
  const reply = await exchange(() => openToolServer(sender), message);
  ctx.body = reply.text ?? '';
  if (reply.text === undefined) ctx.remove('Content-Type');
  else ctx.set('Content-Type', JSON_TYPE);
  ctx.status = reply.status;
}

async function readCaller(deps: McpDeps, ctx: Context, { localOrganizationId }: McpOptions): Promise<ToolCaller> {
  const { headers } = ctx.req;
  const { authorization, 'user-agent': userAgent, 'x-organization-id': named } = headers;
  const organizationHeader = asOne(named);
  const isHere = isLocalHost(ctx.req) && !isForwarded(headers);
  const isLocal = authorization === undefined && localOrganizationId !== undefined && isHere;
  const identity = isLocal ? undefined : tokenIdentity(await authenticate(deps, authorization, organizationHeader));
  ctx.state.credentialId = identity ? credentialIdOf(identity.principal) : SYSTEM_PRINCIPAL;
  const organizationId = identity ? organizationOf(identity, organizationHeader) : localOrganizationId;
  if (organizationId !== undefined) ctx.state.organizationId = organizationId;
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
  return { surface, organizationHeader, connection: readToolConnection(ctx.req) };
}

/** Returns the organization that a message counts for. Each request of a tool checks if the caller may act there. */
function organizationOf(identity: Identity, header: string | undefined): string | undefined {
  try {
    return resolveOrganization(identity, header).organizationId;
  } catch {
    return undefined;
  }
}

function countedAs({ state }: Context, { identity }: Surface) {
  return {
    organizationId: state.organizationId ?? '',
    credentialId: state.credentialId ?? SYSTEM_PRINCIPAL,
    userId: identity?.principal.userId,
  };
}

/** @throws {NotAcceptableError} if the caller does not accept the only form of answers */
function assertAccepts({ headers }: IncomingMessage): void {
  const accepted = (headers.accept ?? '*/*').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  if (![JSON_TYPE, 'application/*', '*/*'].some((range) => accepted.includes(range))) throw new NotAcceptableError();
}
