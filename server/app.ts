import Koa from 'koa';
import type { Deps } from './deps.js';
import type { AddressRange } from './domain/account/client-address.js';
import { assertSameOperations } from './http/contract/assert-same-operations.js';
import { type Contract, loadContract } from './http/contract/contract.js';
import { lazily } from './http/contract/lazily.js';
import type { AnyRoute, Lifecycle, RouteDeps } from './http/contract/route.js';
import { answerMcp, MCP_PATH } from './http/mcp/mcp.js';
import { dashboardPages } from './http/pages/dashboard-pages.js';
import { docsPages } from './http/pages/docs-pages.js';
import { servePages } from './http/pages/serve-pages.js';
import { oneHost } from './http/request/address/one-host.js';
import { locateClients, originOf } from './http/request/address/origin.js';
import { parseQuery } from './http/request/address/query.js';
import { targetOf } from './http/request/address/request-target.js';
import { encodedPaths, noRoute, operationRouter } from './http/request/address/router.js';
import { assertItemCount, countRefusal, readBody } from './http/request/body/body.js';
import { authorize } from './http/request/caller/authorize.js';
import { readAs } from './http/request/caller/read-as.js';
import type { State } from './http/request/context.js';
import { checkEntitlement, needsPayment } from './http/request/turns/entitlement.js';
import { measureEventLoopDelay, OverloadGuard } from './http/request/turns/overload.js';
import { limitedAs, limitRate } from './http/request/turns/rate-limit.js';
import { isPage, RequestShares } from './http/request/turns/request-shares.js';
import { startInTurn } from './http/request/turns/start-in-turn.js';
import { boundAnswers } from './http/response/bound-answers.js';
import { envelope } from './http/response/envelope.js';
import { measureRequests } from './http/response/measure.js';
import { writeReply } from './http/response/reply.js';
import { logRequests, logUnanswered } from './http/response/request-log.js';
import { traceRequests } from './http/response/trace.js';
import { writeErrors } from './http/response/write-errors.js';
import { routes } from './routes/index.js';

export interface AppOptions {
  /** State of the process, changed by the caller. Default: running. */
  lifecycle?: Lifecycle;
  /** True if responses repeat the external key and the subject key inside `metadata`. Default: false. */
  metadataMirror?: boolean;
  /** Bearer token for `/metrics`. If unset, only loopback may read them. */
  metricsToken?: string;
  /** Default: the one in the package. */
  contract?: Contract;
  /** Organization whose tools need no credential (section 5.1). Default: none. */
  localOrganizationId?: string | undefined;
  /** Origins of web pages that may use the tools. Default: none. */
  allowedOrigins?: readonly string[];
  /** Proxies whose X-Forwarded-For is trusted. Default: none. */
  trustedProxies?: readonly AddressRange[];
  /** Returns the delay of the event loop. Default: measured. */
  eventLoopDelayMs?: () => number;
}

const RUNNING: Lifecycle = { starting: false, stopping: false, embeddedOtherwise: 0 };

/**
 * Creates the Koa app of the service.
 *
 * @throws {Error} that names the operations in which openapi.yaml and the routes differ
 */
export function createApp(deps: Deps, options: AppOptions = {}): Koa<State> {
  const { lifecycle = RUNNING, metadataMirror = false } = options;
  const contract = options.contract ?? loadContract();
  assertSameOperations(contract, routes);
  const routeDeps: RouteDeps = { ...deps, contract, lifecycle, metadataMirror, metricsToken: options.metricsToken };
  const overload = new OverloadGuard(options.eventLoopDelayMs ?? measureEventLoopDelay());
  const shares = new RequestShares(deps.limits, deps.metrics, overload);

  const app = new Koa<State>();
  const itself = lazily(() => app.callback());
  const loadToolServers = lazily(async () => {
    const { toolServers } = await import('./tool-server.js');
    return toolServers(deps, (req, res) => void itself()(req, res));
  });
  const { localOrganizationId, allowedOrigins = [] } = options;
  app.on('error', logUnanswered(deps.logger));
  app.use(envelope({ version: contract.version, newId: deps.newId, lifecycle }));
  if (deps.tracing) app.use(traceRequests(deps.tracing));
  app.use(locateClients(options.trustedProxies ?? []));
  app.use(measureRequests(deps.metrics));
  app.use(logRequests(deps.logger));
  app.use(startInTurn());
  app.use(boundAnswers(shares));
  app.use(writeErrors());
  app.use(oneHost());
  app.use(encodedPaths());
  const router = operationRouter(contract.operations, async (ctx, { operation, path, query: sentQuery }) => {
    ctx.state.operationId = operation.id;
    const { sender, body } = await readAs(
      deps,
      () => authorize(deps, ctx, operation),
      async ({ principal, caller }) => {
        shares.assertInTime(ctx, operation);
        await limitRate(deps, ctx, operation, limitedAs(principal, caller));
        if (!operation.hasBody) return undefined;
        return readBody(ctx, operation, deps.limits, shares).catch(async (error: unknown) => {
          await countRefusal(deps, operation, path, error);
          throw error;
        });
      },
    );
    // A request takes its share after its body has arrived, so that slow senders do not occupy shares.
    using _ = shares.begin(ctx, operation);
    const { principal, caller } = sender;
    if (caller && needsPayment(operation)) await checkEntitlement(deps, operation, caller);
    assertItemCount(deps, operation, body);
    const { query, filter } = parseQuery(sentQuery, operation);
    contract.checkRequest(operation, { path, query, body });
    using _page = isPage(operation) ? await shares.beginPage(ctx, caller?.gone) : undefined;
    const request = { principal, caller, path, query, filter, body, headers: ctx.req.headers, origin: originOf(ctx) };
    const route = routes[operation.id] as AnyRoute;
    await writeReply(ctx, operation, await route(request, routeDeps), caller?.gone);
  });
  const mcp = { shares, loadToolServers, localOrganizationId, allowedOrigins };
  app.use((ctx, next) => (targetOf(ctx).path === MCP_PATH ? answerMcp(deps, ctx, mcp) : next()));
  app.use(router);
  app.use(servePages(dashboardPages(), docsPages()));
  app.use(noRoute());
  return app;
}
