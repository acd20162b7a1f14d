import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval as every } from 'node:timers/promises';
import { createApp } from './app.js';
import { type Config, ConfigError } from './config/config.js';
import { type Credentials, readCredentials, writeCredentials } from './config/credentials.js';
import { type Container, createContainer } from './container.js';
import type { Deps } from './deps.js';
import { loadContract } from './http/contract/contract.js';
import { jobHandlers } from './jobs/handlers.js';
import { Tending } from './jobs/tending.js';
import { tracedHandlers } from './jobs/traced-handlers.js';
import { issueLink } from './services/access/sign-in-links.js';
import { AuditRetention } from './services/audit/audit-retention.js';
import { storeRefusals } from './services/inbound/inbound-refusals.js';
import { createFirstOrganization } from './services/organization/first-organization.js';
import { requireKeys } from './services/upkeep/canary.js';
import {
  type EmbeddedOtherwise,
  organizationsEmbeddedOtherwise,
  takeConfiguredEmbedder,
} from './services/upkeep/reembed.js';
import { tendAll } from './services/upkeep/tend.js';
import { warmModel, warmTexts } from './services/upkeep/warm-texts.js';

const DRAIN_TIMEOUT_MS = 25_000;
/** Actor of the audit event of the first link. */
const FIRST_START = { actor: { type: 'system', id: 'first start' }, source: 'operator' } as const;
/** A local start serves an application with several users without a call to the settings first. */
const FIRST_SUBJECT_KEYS = 'string';
const IDLE_SWEEP_INTERVAL_MS = 50;
const TEND_INTERVAL_MS = 30_000;
/**
 * After the first request, which usually asks if the service is ready and would otherwise wait for it. A write or search
 * that arrives earlier loads the model itself.
 */
const WARM_MODEL_AFTER_MS = 30;
/** After the first request, which would otherwise share the processor with it. A server that stops at once skips it. */
const WARM_TEXTS_AFTER_MS = 250;

/** A listening service. Disposing of it finishes running requests and jobs, and closes the store. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  /** Credentials that the first start created outside production; undefined if they are not in the data folder. */
  readonly credentials: Credentials | undefined;
  /** Link that signs in the owner whom this start created. Undefined if it created none. */
  readonly firstLink: string | undefined;
  /** Organizations whose vectors come from another embedder. */
  readonly embeddedOtherwise: readonly EmbeddedOtherwise[];
}

/**
 * Opens the store and listens. Outside production, creates the first organization.
 *
 * @param onFatal called if the store can no longer guarantee durability; the process must then exit
 */
export async function startService(
  config: Config,
  onFatal: (error: unknown) => void,
  open: typeof createContainer = createContainer,
): Promise<Service> {
  const container = await open(config, onFatal);
  try {
    await requireKeys(container.deps);
    return await serve(config, container);
  } catch (error) {
    await container[Symbol.asyncDispose]();
    throw error;
  }
}

async function serve(config: Config, container: Container): Promise<Service> {
  const { deps } = container;
  let tellStarted = () => {};
  const started = new Promise<void>((resolve) => {
    tellStarted = resolve;
  });
  const warming = deps.store.warm?.(started).catch((error: unknown) => {
    deps.logger.error({ err: error }, 'the indexes could not be built at start: the first searches will build them');
  });
  // Other processes on MongoDB may still have the former configuration, so there the operator says when to begin.
  if (config.store.kind === 'sqlite') await takeConfiguredEmbedder(deps);
  const embeddedOtherwise = await organizationsEmbeddedOtherwise(deps);
  const refused = embeddedOtherwise.filter(({ isServed }) => !isServed);
  const lifecycle = { starting: true, stopping: false, embeddedOtherwise: refused.length };
  const contract = loadContract();
  const app = createApp(deps, {
    contract,
    lifecycle,
    metadataMirror: config.metadataMirror,
    ...(config.metricsToken !== undefined && { metricsToken: config.metricsToken }),
    localOrganizationId: config.defaultOrganizationId,
    allowedOrigins: config.allowedOrigins,
    trustedProxies: config.trustedProxies,
  });
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 },
    app.callback(),
  );
  const url = await listen(server, config);
  const ending = new AbortController();
  const { auditRetentionDays: days } = config;
  const retention = days === undefined ? undefined : new AuditRetention(deps, days);
  const tending = new Tending((stopping) => upkeep(deps, stopping, retention), {
    everyMs: TEND_INTERVAL_MS,
    logger: deps.logger,
  });
  const stop = async () => {
    lifecycle.stopping = true;
    ending.abort();
    await Promise.all([drain(server), deps.jobs[Symbol.asyncDispose](), tending[Symbol.asyncDispose]()]);
    await warming;
    await storeRefusals(deps).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'the latest refusals of inbound webhooks could not be stored');
    });
    await container[Symbol.asyncDispose]();
  };
  try {
    const handlers = jobHandlers(deps);
    await deps.jobs.start(deps.tracing ? tracedHandlers(handlers, deps.tracing) : handlers);
    const first = config.appEnv === 'production' ? {} : await firstStart(deps, config, url);
    lifecycle.starting = false;
    tellStarted();
    warmUp(deps, config.embedding.provider === 'local' ? deps.embedder : undefined, ending.signal);
    return {
      url,
      credentials: first.credentials,
      firstLink: first.link,
      embeddedOtherwise,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await Promise.all([drain(server), tending[Symbol.asyncDispose]()]);
    throw error;
  }
}

/** Prepares for the first requests that embed a text, and for the first long text. */
function warmUp(deps: Deps, local: Deps['embedder'] | undefined, stopping: AbortSignal): void {
  const model = setTimeout(() => {
    if (local) deps.background.run('loading the model', () => warmModel(local));
  }, WARM_MODEL_AFTER_MS).unref();
  const texts = setTimeout(() => {
    deps.background.run('warming the thread for long texts', () => warmTexts(deps, local, stopping));
  }, WARM_TEXTS_AFTER_MS).unref();
  stopping.addEventListener('abort', () => {
    clearTimeout(model);
    clearTimeout(texts);
  });
}

async function upkeep(deps: Deps, stopping: AbortSignal, retention: AuditRetention | undefined): Promise<void> {
  await storeRefusals(deps);
  await tendAll(deps, stopping);
  await retention?.run(stopping);
}

interface FirstStart {
  credentials?: Credentials;
  /** Present only if this start created the organization. */
  link?: string;
}

async function firstStart(
  deps: Deps,
  { dataDir, defaultOrganizationId }: Config,
  baseUrl: string,
): Promise<FirstStart> {
  const made = await createFirstOrganization(deps, defaultOrganizationId, FIRST_SUBJECT_KEYS);
  if (defaultOrganizationId !== undefined && !(await deps.store.accounts.settings(defaultOrganizationId))) {
    throw new ConfigError([
      'set SERVICE_DEFAULT_ORGANIZATION_ID to the id of an organization in this store: it has none with this id',
    ]);
  }
  const first = made ?? readCredentials(dataDir);
  if (!first) return {};
  const credentials = { baseUrl, organizationId: first.organizationId, token: first.token };
  writeCredentials(dataDir, credentials);
  if (!made) return { credentials };
  const publicUrl = deps.access.publicUrl ?? baseUrl;
  const { link } = await issueLink(deps, FIRST_START, { userId: made.ownerId, publicUrl, setsPassword: true });
  return { credentials, link };
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new ConfigError([`set HOST and PORT to a free address: the service cannot listen on ${host}:${port}`], error),
      );
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

/** Stops accepting requests, finishes the running ones, and after a timeout closes the remaining connections. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const done = new AbortController();
  const sweep = async () => {
    const start = performance.now();
    for await (const _ of every(IDLE_SWEEP_INTERVAL_MS, undefined, { signal: done.signal })) {
      // Kept-alive connections become idle one by one, when their requests finish.
      server.closeIdleConnections();
      if (performance.now() - start > DRAIN_TIMEOUT_MS) server.closeAllConnections();
    }
  };
  const sweeping = sweep().catch((error: unknown) => {
    if (!done.signal.aborted) throw error;
  });
  await closed;
  done.abort();
  await sweeping;
}
