import type { BillingRules, Limits } from '../deps.js';
import type { AddressRange } from '../domain/account/client-address.js';
import { parseEncryptionKey } from '../domain/account/secret-box.js';
import { type Plans, PlansError, parsePlans } from '../domain/billing/plan.js';
import type { EndpointRules } from '../domain/outbound/endpoint-url.js';
import type { RateLimitClass } from '../ports/rate-limiter.js';
import { EnvReader } from './env-reader.js';
import { type EmbeddingConfig, readEmbedding, readFormerEmbedding } from './read-embedding.js';
import { readAllowedOrigins, readDefaultOrganization, readPublicUrl, readTrustedProxies } from './read-network.js';
import { readTelemetry, type TelemetryConfig } from './read-telemetry.js';

export type AppEnv = 'local' | 'test' | 'production';

/** The store and its settings. The embedded store is in `dataDir`. */
export type StoreConfig =
  | {
      kind: 'sqlite';
      /** Memory limit of the resident vector indexes. */
      indexBytes: number;
    }
  | {
      kind: 'mongodb';
      /** Connection string of the deployment, including the database. */
      uri: string;
      /** The index of keyword searches: the database's own, or one of Atlas Search. */
      keywords: (typeof KEYWORD_INDEXES)[number];
    };

/** All settings of the operator, validated. */
export interface Config {
  appEnv: AppEnv;
  host: string;
  /** 0 means any free port. */
  port: number;
  /** Folder of the credentials, the generated encryption key and the embedded store. */
  dataDir: string;
  store: StoreConfig;
  logLevel: string;
  metadataMirror: boolean;
  /** Days that audit events are kept; undefined for ever. */
  auditRetentionDays?: number;
  /** True if writes are scanned for secrets and personal data (section 7). */
  contentScan: boolean;
  /** The organization whose tools need no credential. Undefined unless the environment is local (section 5.1). */
  defaultOrganizationId: string | undefined;
  /** Origins of web pages that may use the tools, in lower case. */
  allowedOrigins: readonly string[];
  /** Reverse proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: readonly AddressRange[];
  /** The endpoint URLs that customers may register. */
  endpointRules: EndpointRules;
  /** Bearer token for `/metrics`. If unset, only loopback may read them. */
  metricsToken?: string;
  /** The first key encrypts stored secrets, all decrypt them. If empty, the data folder keeps a generated key. */
  encryptionKeys: readonly Buffer[];
  /** Public address of the service, without a trailing slash. */
  publicUrl: string | undefined;
  /** Mail server and sender of invitations. If undefined, whoever invites passes on the link. */
  mail: { smtpUrl: string; from: string } | undefined;
  limits: Limits;
  /** Requests per minute, for each organization and credential. */
  rateLimits: Record<RateLimitClass, number>;
  billing: BillingRules;
  /** Key for requests to the billing provider. */
  billingSecret: string | undefined;
  /** Secret that verifies the events of the billing provider. */
  billingWebhookSecret: string | undefined;
  embedding: EmbeddingConfig;
  /** The embedder before. Organizations that have its vectors are searched with it until they are re-embedded. */
  formerEmbedding?: EmbeddingConfig;
  /** Undefined if neither spans nor metrics are sent. */
  telemetry?: TelemetryConfig;
}

/** The configuration is invalid. Lists every fault, each with the variable to change. */
export class ConfigError extends Error {
  override name = 'ConfigError';

  constructor(
    readonly faults: readonly string[],
    cause?: unknown,
  ) {
    super(`The configuration is invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`, { cause });
  }
}

const MEBIBYTE = 1024 * 1024;
const KEY_COMMAND = 'openssl rand -base64 32';
const APP_ENVS = ['local', 'test', 'production'] as const;
const STORES = ['sqlite', 'mongodb'] as const;
const KEYWORD_INDEXES = ['index', 'search'] as const;
const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Bytes of a character outside the basic plane as JSON escapes. */
const MAX_CHARACTER_BYTES = 12;

/** Bytes of a memory's other fields. Metadata of 64 KiB takes six times as many bytes as JSON escapes. */
const BYTES_BESIDE_CONTENT = MEBIBYTE / 2;

/** Returns the maximum bytes of a body, for the longest content, however escaped, and the other fields. */
function bodyBytesFor(contentLength: number): number {
  return Math.max(2 * MEBIBYTE, MAX_CHARACTER_BYTES * contentLength + BYTES_BESIDE_CONTENT);
}

/**
 * Reads the configuration from environment variables.
 *
 * @throws {ConfigError}
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const read = new EnvReader(env);
  const appEnv = read.oneOf('APP_ENV', APP_ENVS, 'local');
  const metricsToken = read.text('SERVICE_METRICS_TOKEN');
  const formerEmbedding = readFormerEmbedding(read);
  const telemetry = readTelemetry(read);
  const auditRetentionDays = read.optionalNumber('SERVICE_AUDIT_RETENTION_DAYS', 1, 36_500, true);
  const contentLength = read.integer('SERVICE_MAX_CONTENT_LENGTH', 100_000, 1, 1_000_000);
  const config: Config = {
    appEnv,
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 8080, 0, 65_535),
    dataDir: read.text('SERVICE_DATA_DIR') ?? 'data',
    store: readStore(read),
    logLevel: read.oneOf('SERVICE_LOG_LEVEL', LOG_LEVELS, appEnv === 'production' ? 'info' : 'warn'),
    metadataMirror: read.boolean('SERVICE_METADATA_MIRROR', false),
    ...(auditRetentionDays !== undefined && { auditRetentionDays }),
    contentScan: read.boolean('SERVICE_CONTENT_SCAN_ENABLED', appEnv === 'production'),
    defaultOrganizationId: readDefaultOrganization(read, appEnv),
    allowedOrigins: readAllowedOrigins(read),
    trustedProxies: readTrustedProxies(read),
    endpointRules: { allowLoopback: appEnv === 'local' },
    ...(metricsToken !== undefined && { metricsToken }),
    encryptionKeys: readEncryptionKeys(read, appEnv),
    limits: {
      contentLength,
      batchItems: read.integer('SERVICE_BATCH_INGEST_MAX', 50, 1, 1_000),
      bodyBytes: bodyBytesFor(contentLength),
      batchBodyBytes: Math.max(32 * MEBIBYTE, bodyBytesFor(contentLength)),
      codeHostBodyBytes: 25 * MEBIBYTE,
      requestsInFlight: read.integer('SERVICE_MAX_REQUESTS_IN_FLIGHT', 256, 1, 100_000),
    },
    publicUrl: readPublicUrl(read, appEnv),
    mail: readMail(read),
    rateLimits: {
      ingest: read.integer('SERVICE_RATE_LIMIT_INGEST', 60, 1, 10_000_000),
      search: read.integer('SERVICE_RATE_LIMIT_SEARCH', 120, 1, 10_000_000),
      admin: read.integer('SERVICE_RATE_LIMIT_ADMIN', 30, 1, 10_000_000),
      tools: read.integer('SERVICE_RATE_LIMIT_TOOLS', 600, 1, 10_000_000),
      signIn: read.integer('SERVICE_RATE_LIMIT_SIGN_IN', 10, 1, 10_000_000),
      signInAddress: read.integer('SERVICE_RATE_LIMIT_SIGN_IN_ADDRESS', 60, 1, 10_000_000),
      signInAccount: read.integer('SERVICE_RATE_LIMIT_SIGN_IN_ACCOUNT', 100, 1, 10_000_000),
    },
    billing: {
      enforced: read.boolean('SERVICE_BILLING_ENFORCED', false),
      configured: read.text('BILLING_SECRET') !== undefined,
      plans: readPlans(read),
    },
    billingSecret: read.text('BILLING_SECRET'),
    billingWebhookSecret: read.text('BILLING_WEBHOOK_SECRET'),
    embedding: readEmbedding(read, appEnv),
    ...(formerEmbedding && { formerEmbedding }),
    ...(telemetry && { telemetry }),
  };
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

function readMail(read: EnvReader): Config['mail'] {
  const smtpUrl = read.text('SERVICE_SMTP_URL');
  if (smtpUrl === undefined) return undefined;
  const from = read.text('SERVICE_MAIL_FROM');
  if (!/^smtps?:\/\//.test(smtpUrl) || !URL.canParse(smtpUrl)) {
    read.faults.push('set SERVICE_SMTP_URL to smtp://host:port or smtps://host:port');
  }
  if (from === undefined) read.faults.push('set SERVICE_MAIL_FROM to the sender address of mails');
  if (read.text('SERVICE_PUBLIC_URL') === undefined) {
    read.faults.push('set SERVICE_PUBLIC_URL to the public address of the service: mails contain links to it');
  }
  return { smtpUrl, from: from ?? '' };
}

function readStore(read: EnvReader): StoreConfig {
  const kind = read.oneOf('SERVICE_STORE', STORES, 'sqlite');
  const indexBytes = read.integer('SERVICE_INDEX_MEMORY_MB', 1_024, 1, 1_000_000) * MEBIBYTE;
  if (kind === 'sqlite') return { kind, indexBytes };
  const uri = read.text('MONGODB_URI');
  if (uri === undefined) {
    read.faults.push('set MONGODB_URI to the connection string of the deployment: SERVICE_STORE=mongodb needs one');
  }
  return { kind, uri: uri ?? '', keywords: read.oneOf('SERVICE_MONGODB_KEYWORDS', KEYWORD_INDEXES, 'index') };
}

function readEncryptionKeys(read: EnvReader, appEnv: AppEnv): Buffer[] {
  const texts = read.list('SERVICE_ENCRYPTION_KEYS');
  if (texts.length === 0 && appEnv === 'production') {
    read.faults.push(`set SERVICE_ENCRYPTION_KEYS to a key that you keep: \`${KEY_COMMAND}\` creates one`);
  }
  const keys = texts.map((text) => parseEncryptionKey(text));
  if (keys.includes(undefined)) {
    read.faults.push(
      `set SERVICE_ENCRYPTION_KEYS to keys of 32 bytes in base64, separated by commas: \`${KEY_COMMAND}\` creates one`,
    );
  }
  return keys.filter((key) => key !== undefined);
}

function readPlans(read: EnvReader): Plans {
  const text = read.text('SERVICE_PLANS');
  if (text === undefined) return new Map();
  try {
    return parsePlans(text);
  } catch (error) {
    if (!(error instanceof PlansError)) throw error;
    read.faults.push(`fix SERVICE_PLANS: ${error.message}`);
    return new Map();
  }
}
