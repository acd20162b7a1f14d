import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.js';

describe('readConfig', () => {
  test('needs nothing outside production: the local embedder, this machine only, the documented limits', () => {
    const config = readConfig({});

    expect(config).toMatchObject({
      appEnv: 'local',
      host: '127.0.0.1',
      embedding: { provider: 'local' },
      limits: { contentLength: 100_000, batchItems: 50 },
      rateLimits: { ingest: 60, search: 120, admin: 30 },
      metadataMirror: false,
    });
  });

  test('takes every number and word of the environment', () => {
    const config = readConfig({
      PORT: '0',
      SERVICE_MAX_CONTENT_LENGTH: '10',
      SERVICE_RATE_LIMIT_SEARCH: '7',
      SERVICE_EMBEDDING_PROVIDER: 'openai',
      SERVICE_EMBEDDING_MODEL: 'm',
      SERVICE_EMBEDDING_DIMENSIONS: '256',
      SERVICE_SEMANTIC_DEDUPE_THRESHOLD: '0.97',
      SERVICE_METADATA_MIRROR: 'true',
    });

    expect(config).toMatchObject({
      port: 0,
      limits: { contentLength: 10 },
      rateLimits: { search: 7 },
      embedding: { provider: 'openai', model: 'm', dimensions: 256, semanticDedupeThreshold: 0.97 },
      metadataMirror: true,
    });
  });

  test('refuses to guess the embedding provider in production', () => {
    expect(() => readConfig({ APP_ENV: 'production' })).toThrow(/SERVICE_EMBEDDING_PROVIDER/);
  });

  test('lists every fault at once, each with its variable', () => {
    const faults = faultsOf({
      PORT: '70000',
      APP_ENV: 'staging',
      SERVICE_BATCH_INGEST_MAX: '1.5',
      SERVICE_STORE: 'postgres',
    });

    expect(faults.map((fault) => /set (\w+)/.exec(fault)?.[1])).toEqual([
      'APP_ENV',
      'PORT',
      'SERVICE_BATCH_INGEST_MAX',
      'SERVICE_STORE',
    ]);
  });

  test('takes an empty variable for an absent one', () => {
    expect(readConfig({ PORT: '', SERVICE_EMBEDDING_MODEL: ' ' })).toEqual(readConfig({}));
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
