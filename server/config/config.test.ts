import { describe, expect, test } from 'vitest';
import { clientAddress } from '../domain/account/client-address.js';
import { ConfigError, readConfig } from './config.js';

describe('readConfig', () => {
  test('needs no variables outside production: local embedder, loopback only, documented limits', () => {
    const config = readConfig({});

    expect(config).toMatchObject({
      appEnv: 'local',
      host: '127.0.0.1',
      embedding: { provider: 'local' },
      limits: { contentLength: 100_000, batchItems: 50 },
      rateLimits: { ingest: 60, search: 120, admin: 30, tools: 600, signIn: 10, signInAddress: 60, signInAccount: 100 },
      publicUrl: undefined,
      mail: undefined,
      metadataMirror: false,
      contentScan: false,
    });
  });

  test('reads every number and word of the environment', () => {
    const config = readConfig({
      PORT: '0',
      SERVICE_MAX_CONTENT_LENGTH: '10',
      SERVICE_RATE_LIMIT_SEARCH: '7',
      SERVICE_EMBEDDING_PROVIDER: 'openai',
      SERVICE_EMBEDDING_MODEL: 'm',
      SERVICE_EMBEDDING_DIMENSIONS: '256',
      SERVICE_SEMANTIC_DEDUPE_THRESHOLD: '0.97',
      SERVICE_METADATA_MIRROR: 'true',
      SERVICE_AUDIT_RETENTION_DAYS: '90',
    });

    expect(config).toMatchObject({
      port: 0,
      limits: { contentLength: 10 },
      rateLimits: { search: 7 },
      embedding: { provider: 'openai', model: 'm', dimensions: 256, semanticDedupeThreshold: 0.97 },
      metadataMirror: true,
      auditRetentionDays: 90,
    });
  });

  test.each([
    ['1000000', 1_000_000],
    ['100', 100],
  ])('allows bodies with the longest content, however it is escaped: %s characters', (given, characters) => {
    const { limits } = readConfig({ SERVICE_MAX_CONTENT_LENGTH: given });

    const longest = characters * Buffer.byteLength(String.raw`\ud83d\ude00`);
    expect(limits.bodyBytes).toBeGreaterThan(longest);
    expect(limits.batchBodyBytes).toBeGreaterThanOrEqual(limits.bodyBytes);
  });

  test('allows bodies of 2 MiB and batches of 32 MiB, or more if the longest content needs it', () => {
    expect(readConfig({}).limits).toMatchObject({ bodyBytes: 2 * 1024 * 1024, batchBodyBytes: 32 * 1024 * 1024 });
  });

  test('uses the embedded store by default, and MongoDB only with a connection string', () => {
    const uri = 'mongodb+srv://user:secret@host/memories';

    expect(readConfig({ MONGODB_URI: uri }).store).toEqual({ kind: 'sqlite', indexBytes: 2 ** 30 });
    expect(readConfig({ SERVICE_STORE: 'mongodb', MONGODB_URI: uri }).store).toEqual({
      kind: 'mongodb',
      uri,
      keywords: 'index',
    });
    expect(faultsOf({ SERVICE_STORE: 'mongodb' })).toEqual([expect.stringMatching(/MONGODB_URI/)]);
  });

  test('searches words on MongoDB by the own index, or by a search index', () => {
    const env = { SERVICE_STORE: 'mongodb', MONGODB_URI: 'mongodb://host/memories' };

    expect(readConfig({ ...env, SERVICE_MONGODB_KEYWORDS: 'search' }).store).toMatchObject({ keywords: 'search' });
    expect(faultsOf({ ...env, SERVICE_MONGODB_KEYWORDS: 'text' })).toEqual([
      expect.stringMatching(/SERVICE_MONGODB_KEYWORDS.*index.*search/),
    ]);
  });

  test('allows tools without a credential only in the local environment', () => {
    const id = '0198C5A0-5D00-7B20-8F11-9A8B7C6D5E4F';

    expect(readConfig({ SERVICE_DEFAULT_ORGANIZATION_ID: id }).defaultOrganizationId).toBe(id.toLowerCase());
    expect(readConfig({ SERVICE_DEFAULT_ORGANIZATION_ID: id, APP_ENV: 'test' }).defaultOrganizationId).toBeUndefined();
  });

  test.each(['127.0.0.1', 'localhost', '::1'])('allows tools without a credential on %s', (host) => {
    const id = '0198c5a0-5d00-7b20-8f11-9a8b7c6d5e4f';

    expect(faultsOf({ SERVICE_DEFAULT_ORGANIZATION_ID: id, HOST: host })).toEqual([]);
  });

  test('rejects tools without a credential for other machines or an invalid organization', () => {
    const id = '0198c5a0-5d00-7b20-8f11-9a8b7c6d5e4f';

    expect(faultsOf({ SERVICE_DEFAULT_ORGANIZATION_ID: id, HOST: '0.0.0.0' })).toEqual([expect.stringMatching(/HOST/)]);
    expect(faultsOf({ SERVICE_DEFAULT_ORGANIZATION_ID: 'mine' })).toEqual([
      expect.stringMatching(/SERVICE_DEFAULT_ORGANIZATION_ID/),
    ]);
  });

  test('reads the origins of web pages that may use the tools, and rejects invalid origins', () => {
    const origins = 'https://App.example.com, http://localhost:3000';

    expect(readConfig({ SERVICE_ALLOWED_ORIGINS: origins }).allowedOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:3000',
    ]);
    for (const wrong of ['*', 'app.example.com', 'https://app.example.com/page']) {
      expect(faultsOf({ SERVICE_ALLOWED_ORIGINS: wrong })).toEqual([expect.stringMatching(/SERVICE_ALLOWED_ORIGINS/)]);
    }
  });

  test('reads trusted proxies as IPv4 and IPv6 addresses and ranges', () => {
    const { trustedProxies } = readConfig({ SERVICE_TRUSTED_PROXIES: '10.0.0.0/8, ::1,' });

    expect(clientAddress(trustedProxies, '::1', '203.0.113.7, 10.9.9.9')).toBe('203.0.113.7');
    expect(readConfig({}).trustedProxies).toEqual([]);
  });

  test('rejects invalid proxy addresses, and ranges that contain every address', () => {
    expect(faultsOf({ SERVICE_TRUSTED_PROXIES: '::1, proxy.internal, 10.0.0.0/33' })).toEqual([
      expect.stringMatching(/^set SERVICE_TRUSTED_PROXIES to .*: proxy\.internal, 10\.0\.0\.0\/33 is invalid$/),
    ]);
    for (const everybody of ['0.0.0.0/0', '::/0', '::1, ::ffff:0:0/96']) {
      expect(faultsOf({ SERVICE_TRUSTED_PROXIES: everybody })).toEqual([
        expect.stringMatching(/^set SERVICE_TRUSTED_PROXIES to the addresses of your proxies only/),
      ]);
    }
  });

  test('reads a former embedder if its provider is set', () => {
    const former = { SERVICE_FORMER_EMBEDDING_PROVIDER: 'openai', SERVICE_FORMER_EMBEDDING_MODEL: 'm' };

    expect(readConfig({ ...former, SERVICE_FORMER_EMBEDDING_DIMENSIONS: '8' }).formerEmbedding).toEqual({
      provider: 'openai',
      model: 'm',
      dimensions: 8,
    });
    expect(readConfig({ SERVICE_FORMER_EMBEDDING_MODEL: 'm' }).formerEmbedding).toBeUndefined();
    expect(faultsOf({ SERVICE_FORMER_EMBEDDING_PROVIDER: 'x' }).join()).toContain('SERVICE_FORMER_EMBEDDING_PROVIDER');
  });

  test('requires an embedding provider in production', () => {
    expect(() => readConfig({ APP_ENV: 'production' })).toThrow(/SERVICE_EMBEDDING_PROVIDER/);
  });

  test('requires a key for stored secrets in production, and says how to create one', () => {
    const faults = faultsOf({ APP_ENV: 'production', SERVICE_EMBEDDING_PROVIDER: 'local' });

    expect(faults).toEqual([expect.stringMatching(/SERVICE_ENCRYPTION_KEYS.*openssl rand -base64 32/)]);
  });

  test('does not bill by default', () => {
    const free = readConfig({ BILLING_SECRET: '  ', BILLING_WEBHOOK_SECRET: '' });
    const billed = readConfig({
      SERVICE_BILLING_ENFORCED: 'true',
      BILLING_SECRET: 'sk_test',
      BILLING_WEBHOOK_SECRET: 'whsec_test',
      SERVICE_PLANS: '{"price_a": {"name": "A", "ingestPerMonth": 5, "searchPerMonth": null}}',
    });

    expect(free.billing).toEqual({ enforced: false, configured: false, plans: new Map() });
    expect([free.billingSecret, free.billingWebhookSecret]).toEqual([undefined, undefined]);
    expect(billed.billing).toEqual({
      enforced: true,
      configured: true,
      plans: new Map([
        ['price_a', { name: 'A', ingestPerMonth: 5, searchPerMonth: undefined, storageBytes: undefined }],
      ]),
    });
    expect([billed.billingSecret, billed.billingWebhookSecret]).toEqual(['sk_test', 'whsec_test']);
  });

  test('rejects invalid plans, and names the price at fault', () => {
    expect(faultsOf({ SERVICE_PLANS: '{"price_a": {"name": "A"}}' })).toEqual([
      expect.stringMatching(/^fix SERVICE_PLANS: price_a needs ingestPerMonth/),
    ]);
  });

  test('scans contents in production by default', () => {
    const production = {
      APP_ENV: 'production',
      SERVICE_EMBEDDING_PROVIDER: 'local',
      SERVICE_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    };

    expect(readConfig(production).contentScan).toBe(true);
    expect(readConfig({ ...production, SERVICE_CONTENT_SCAN_ENABLED: 'false' }).contentScan).toBe(false);
    expect(readConfig({ SERVICE_CONTENT_SCAN_ENABLED: 'true' }).contentScan).toBe(true);
  });

  test('reads keys for stored secrets separated by commas, in their order', () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const text = `${one.toString('base64')}, ${other.toString('base64')},`;

    const { encryptionKeys } = readConfig({ SERVICE_ENCRYPTION_KEYS: text });

    expect(encryptionKeys).toEqual([one, other]);
  });

  test('rejects a key that is not 32 bytes, and does not repeat it', () => {
    const [fault, ...others] = faultsOf({ SERVICE_ENCRYPTION_KEYS: 'c2hvcnQ=' });

    expect(fault).toContain('set SERVICE_ENCRYPTION_KEYS to keys of 32 bytes');
    expect(fault).not.toContain('c2hvcnQ=');
    expect(others).toEqual([]);
  });

  test('reports every fault at once, each with its variable', () => {
    const faults = faultsOf({
      PORT: '70000',
      APP_ENV: 'staging',
      SERVICE_BATCH_INGEST_MAX: '1.5',
      SERVICE_STORE: 'postgres',
    });

    expect(faults.map((fault) => /set (\w+)/.exec(fault)?.[1])).toEqual([
      'APP_ENV',
      'PORT',
      'SERVICE_STORE',
      'SERVICE_BATCH_INGEST_MAX',
    ]);
  });

  test('treats an empty variable as absent', () => {
    expect(readConfig({ PORT: '', SERVICE_EMBEDDING_MODEL: ' ' })).toEqual(readConfig({}));
  });

  test('reads the mail server and the public URL, without its trailing slash', () => {
    const config = readConfig({
      SERVICE_PUBLIC_URL: 'https://memory.example.com/base/',
      SERVICE_SMTP_URL: 'smtps://user:password@mail.example.com:465',
      SERVICE_MAIL_FROM: 'Memory <memory@example.com>',
    });

    expect(config).toMatchObject({
      publicUrl: 'https://memory.example.com/base',
      mail: { smtpUrl: 'smtps://user:password@mail.example.com:465', from: 'Memory <memory@example.com>' },
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ SERVICE_PUBLIC_URL: 'memory.example.com' }, 'SERVICE_PUBLIC_URL'],
    [{ SERVICE_PUBLIC_URL: 'https://memory.example.com/?a=1' }, 'SERVICE_PUBLIC_URL'],
    [{ SERVICE_PUBLIC_URL: 'http://memory.example.com', APP_ENV: 'production' }, 'SERVICE_PUBLIC_URL'],
    [{ SERVICE_SMTP_URL: 'mail.example.com', SERVICE_MAIL_FROM: 'a@b' }, 'SERVICE_SMTP_URL'],
    [{ SERVICE_SMTP_URL: 'smtp://mail.example.com', SERVICE_PUBLIC_URL: 'https://m.example.com' }, 'SERVICE_MAIL_FROM'],
    [{ SERVICE_SMTP_URL: 'smtp://mail.example.com', SERVICE_MAIL_FROM: 'a@b' }, 'SERVICE_PUBLIC_URL'],
  ])('rejects %j, and says to set %s', (env, name) => {
    expect(() => readConfig(env)).toThrow(new RegExp(`set ${name} to`));
  });

  describe('the variables of OpenTelemetry', () => {
    const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

    test.each<[string, Record<string, string>]>([
      ['no endpoint', { OTEL_SERVICE_NAME: 'memories' }],
      ['a disabled SDK', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
      ['no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
    ])('send nothing with %s', (_, variables) => {
      expect(readConfig(variables).telemetry).toBeUndefined();
    });

    test.each<[string, Record<string, string>, object]>([
      ['an endpoint', ENDPOINT, { traces: 'http/protobuf', metrics: 'http/protobuf' }],
      ['an exporter', { OTEL_TRACES_EXPORTER: 'otlp' }, { traces: 'http/protobuf', metrics: undefined }],
      [
        'an endpoint of metrics',
        { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://example.com/metrics' },
        { traces: undefined, metrics: 'http/protobuf' },
      ],
      [
        'a protocol',
        { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
        { traces: 'http/protobuf', metrics: 'http/json' },
      ],
    ])('send what %s says', (_, variables, expected) => {
      expect(readConfig(variables).telemetry).toMatchObject(expected);
    });

    test('that cannot be followed are named', () => {
      const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };

      expect(() => readConfig({ ...variables, OTEL_METRICS_EXPORTER: 'none' })).toThrow(
        expect.objectContaining({
          faults: [
            'set OTEL_EXPORTER_OTLP_ENDPOINT to an http or https URL, such as http://127.0.0.1:4318',
            'set OTEL_EXPORTER_OTLP_PROTOCOL to one of http/protobuf, http/json',
          ],
        }),
      );
    });
  });
});

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
  }
  return [];
}
