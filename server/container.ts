import { accessSync, constants, mkdirSync } from 'node:fs';
import { AgendaJobQueue } from './adapters/agenda/job-queue.js';
import { createEmbedder, withFormer } from './adapters/embedding/create-embedder.js';
import { UndiciSender } from './adapters/http-sender/undici-sender.js';
import { PrometheusMetrics } from './adapters/metrics/prometheus-metrics.js';
import type { KeyOrder } from './adapters/password/derive-key.js';
import { PASSWORD_COST } from './adapters/password/scrypt.js';
import { ScryptPasswords } from './adapters/password/scrypt-passwords.js';
import { MemoryRateLimiter } from './adapters/rate-limiter/memory-rate-limiter.js';
import { openSqliteStore } from './adapters/sqlite/store.js';
import type { IndexThread } from './adapters/sqlite/vector-index/reader/index-thread.js';
import type { Telemetry } from './adapters/telemetry/open-telemetry.js';
import { tracedEmbedder } from './adapters/telemetry/traced-embedder.js';
import { tracedFetch, tracedSender } from './adapters/telemetry/traced-requests.js';
import { tracedStore } from './adapters/telemetry/traced-store.js';
import type { TextOrder } from './adapters/text-work/do-text-work.js';
import type { TextAnswer } from './adapters/text-work/text-answer.js';
import { TextTurns } from './adapters/text-work/text-turns.js';
import { WorkThreads } from './adapters/threads/work-threads.js';
import { workerFile } from './adapters/threads/worker-file.js';
import { Background } from './background.js';
import { type Config, ConfigError, type StoreConfig } from './config/config.js';
import { encryptionKeyPath, ownEncryptionKey, readKey } from './config/encryption-key.js';
import type { Deps } from './deps.js';
import { SecretBox } from './domain/account/secret-box.js';
import { usesSubscriptions } from './domain/billing/plan.js';
import { BOUNDS } from './domain/fairness/bounds.js';
import { RefusalCounter } from './domain/inbound/refusal-counter.js';
import { RisingIds } from './ids.js';
import { createLogger, type Logger } from './logger.js';
import type { TextWork } from './ports/text-work.js';

export interface Container extends AsyncDisposable {
  readonly deps: Deps;
}

/**
 * Builds the dependencies of the service from the configuration. Disposing of it stops the job queue and closes the
 * store.
 *
 * @throws {ConfigError}
 * @throws {StoreOpenError}
 * @param onFatal called if the store can no longer guarantee durability; the process must then exit
 * @param indexThread the thread that reads large indexes, if it was started before
 */
export async function createContainer(
  config: Config,
  onFatal: (error: unknown) => void,
  overrides: Partial<Omit<Deps, 'store' | 'jobs'>> = {},
  indexThread?: IndexThread,
): Promise<Container> {
  const now = overrides.now ?? (() => Date.now() * 1_000);
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const textThread = new WorkThreads<TextOrder, TextAnswer>(workerFile('text-work/text-worker'), 1);
  const texts = new TextTurns(textThread);
  const telemetry = await loadTelemetry(config, logger);
  const tracing = telemetry?.tracing;
  const embedder = overrides.embedder ?? (await openEmbedder(config, texts, tracing));
  const mailer = await openMailer(config);
  const billingProvider = await openBillingProvider(config, now);
  const customerPortal = await openCustomerPortal(config);
  // The keys are read before the store is opened, because a later failure would have to close the store.
  const keys = encryptionKeys(config);
  const { store, jobs, rateLimiter } = await openStore(config, embedder, { now, onFatal, logger, indexThread });
  const secretBox = overrides.secretBox ?? new SecretBox(keys ?? [await newKey(config, store)]);
  const ids = new RisingIds();
  const sender = new UndiciSender(config.endpointRules);
  const metrics = new PrometheusMetrics(jobs, {
    process: true,
    indexUse: () => store.indexUse?.(),
    vectorSearches: () => store.vectorSearches?.(),
    searchIndexes: () => store.searchIndexes?.(),
  });
  telemetry?.watch(() => metrics.readings());
  const passwordThreads = new WorkThreads<KeyOrder, Uint8Array>(
    workerFile('password/password-worker'),
    BOUNDS.passwords.capacity,
  );
  const passwords = new ScryptPasswords(PASSWORD_COST, (order) => passwordThreads.ask(order));
  metrics.watch(sender.resolver);
  metrics.watch(passwords.turns);
  metrics.watch(texts.resource);
  const deps: Deps = {
    store: tracing ? tracedStore(store, tracing) : store,
    jobs,
    secretBox,
    contentScan: config.contentScan ? (texts, row) => row.scan(texts) : undefined,
    access: accessPolicy(config),
    passwords,
    texts,
    mailer,
    background: new Background(logger),
    embedder,
    rateLimiter,
    logger,
    metrics,
    tracing,
    inboundRefusals: new RefusalCounter(),
    httpSender: tracing ? tracedSender(sender, tracing) : sender,
    endpointRules: config.endpointRules,
    now,
    newId: () => ids.next(),
    random: Math.random,
    limits: config.limits,
    billing: config.billing,
    billingProvider,
    customerPortal,
    ...overrides,
  };
  for (const resource of [...(store.sharedResources ?? []), ...(embedder.sharedResources ?? [])]) {
    deps.metrics.watch(resource);
  }
  return {
    deps,
    async [Symbol.asyncDispose]() {
      await deps.background[Symbol.asyncDispose]();
      await jobs[Symbol.asyncDispose]();
      await sender[Symbol.asyncDispose]();
      // The last metrics are read from the open store.
      await telemetry?.[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await passwordThreads[Symbol.asyncDispose]();
      await textThread[Symbol.asyncDispose]();
    },
  };
}

// Modules that only some deployments use are imported on demand. They take 10 % of the CPU time of a start, and 15 MB.

async function loadTelemetry({ telemetry }: Config, logger: Logger): Promise<Telemetry | undefined> {
  if (!telemetry) return undefined;
  const { openTelemetry } = await import('./adapters/telemetry/open-telemetry.js');
  return openTelemetry(telemetry, logger);
}

async function openMailer({ mail }: Config): Promise<Deps['mailer']> {
  if (!mail) return undefined;
  const { SmtpMailer } = await import('./adapters/mail/smtp-mailer.js');
  return new SmtpMailer(mail.smtpUrl, mail.from);
}

async function openBillingProvider(
  { billingWebhookSecret }: Config,
  now: () => number,
): Promise<Deps['billingProvider']> {
  if (billingWebhookSecret === undefined) return undefined;
  const { StripeBillingProvider } = await import('./adapters/stripe/billing-provider.js');
  return new StripeBillingProvider(billingWebhookSecret, now);
}

async function openCustomerPortal({ billingSecret }: Config): Promise<Deps['customerPortal']> {
  if (billingSecret === undefined) return undefined;
  const { StripeCustomerPortal } = await import('./adapters/stripe/customer-portal.js');
  return new StripeCustomerPortal(billingSecret);
}

function accessPolicy({ appEnv, publicUrl }: Config): Deps['access'] {
  const isProduction = appEnv === 'production';
  const secureCookies = isProduction || publicUrl?.startsWith('https:') === true;
  return { wildcard: !isProduction, secureCookies, publicUrl };
}

/**
 * Creates the collections and indexes of the configured store that it does not create when it is opened.
 *
 * @throws {ConfigError} if the configured store needs no preparation
 * @throws {StoreOpenError}
 */
export async function setUpStore(
  config: Config,
  { onProgress, dropsOwnWords }: { onProgress: (step: string) => void; dropsOwnWords: boolean },
): Promise<void> {
  const { uri, keywords } = mongoOf(config);
  const { setUpMongoStore } = await import('./adapters/mongo/store.js');
  const { dimensions } = await openEmbedder(config);
  await setUpMongoStore({ uri, dimensions, keywords, dropsOwnWords, onProgress });
}

/** Returns what `setUpStore` would create in an empty database, and the sizes for a number of memories. */
export async function planStore(config: Config, memories: number): Promise<string[]> {
  const { keywords } = mongoOf(config);
  const { setUpPlan } = await import('./adapters/mongo/set-up-plan.js');
  const { dimensions } = await openEmbedder(config);
  return setUpPlan(dimensions, memories, keywords);
}

/** @throws {ConfigError} for the embedded store */
function mongoOf({ store }: Config): Extract<StoreConfig, { kind: 'mongodb' }> {
  if (store.kind === 'mongodb') return store;
  throw new ConfigError(['set SERVICE_STORE to mongodb: the embedded store needs no preparation']);
}

interface StoreParts extends Pick<Deps, 'now' | 'logger'> {
  onFatal: (error: unknown) => void;
  indexThread: IndexThread | undefined;
}

async function openStore(
  config: Config,
  { dimensions }: Pick<Deps['embedder'], 'dimensions'>,
  { now, onFatal, logger, indexThread }: StoreParts,
): Promise<Pick<Deps, 'store' | 'jobs' | 'rateLimiter'>> {
  const { dataDir, rateLimits } = config;
  if (config.store.kind === 'mongodb') {
    const { uri, keywords } = config.store;
    const setsUp = config.appEnv !== 'production';
    const readsSubscriptions = usesSubscriptions(config.billing);
    const { openMongoStore } = await import('./adapters/mongo/store.js');
    const store = await openMongoStore({ uri, dimensions, keywords, now, setsUp, readsSubscriptions });
    return { store, jobs: new AgendaJobQueue(store.jobs, logger), rateLimiter: store.rateLimiter(rateLimits) };
  }
  makeDataDir(dataDir);
  const onLostThread = (error: unknown) =>
    logger.error({ err: error }, 'a thread that scans vectors ended: searches will take longer');
  const store = await openSqliteStore({
    dataDir,
    indexBytes: config.store.indexBytes,
    now,
    onFatal,
    onLostThread,
    indexThread,
  });
  return { store, jobs: new AgendaJobQueue(store.jobs, logger), rateLimiter: new MemoryRateLimiter(rateLimits) };
}

/** Returns the keys of the configuration, which production requires, or else the key in the data folder, if any. */
function encryptionKeys({ encryptionKeys: given, dataDir }: Config): readonly Buffer[] | undefined {
  if (given.length > 0) return given;
  makeDataDir(dataDir);
  const own = readKey(dataDir);
  return own && [own];
}

/**
 * Creates the first key of a data folder. Fails if the store was used with another key, because a new key could not
 * decrypt what that one encrypted.
 *
 * @throws {ConfigError}
 */
async function newKey({ dataDir }: Config, store: Deps['store']): Promise<Buffer> {
  try {
    if ((await store.canary.read()) === undefined) return await ownEncryptionKey(dataDir);
    throw new ConfigError([
      `put back ${encryptionKeyPath(dataDir)}, or set SERVICE_ENCRYPTION_KEYS to the key that the store was used with: ` +
        'the file is missing. If the key is lost, run "memory-reencrypt --lost-key"',
    ]);
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new ConfigError([`set SERVICE_DATA_DIR to a writable folder: ${dataDir} cannot be written`], error);
  }
}

async function openEmbedder(
  { embedding, formerEmbedding }: Config,
  texts?: TextWork,
  tracing?: Deps['tracing'],
): Promise<Deps['embedder']> {
  const open = async (config: Config['embedding'], prefix: string) => {
    try {
      return await createEmbedder(config, { texts, ...(tracing && { fetch: tracedFetch(tracing) }) });
    } catch (error) {
      throw new ConfigError([(error as Error).message.replaceAll('SERVICE_EMBEDDING', prefix)], error);
    }
  };
  const embedder = await open(embedding, 'SERVICE_EMBEDDING');
  const former = formerEmbedding && (await open(formerEmbedding, 'SERVICE_FORMER_EMBEDDING'));
  const served = withFormer(embedder, former, texts);
  return tracing ? tracedEmbedder(served, tracing) : served;
}
