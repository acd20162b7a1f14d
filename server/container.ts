import { access, constants, mkdir } from 'node:fs/promises';
import { v7 } from 'uuid';
import { createEmbedder } from './adapters/embedding/create-embedder.js';
import { MemoryRateLimiter } from './adapters/rate-limiter/memory.js';
import { openSqliteStore } from './adapters/sqlite/store.js';
import { type Config, ConfigError } from './config.js';
import type { Deps } from './deps.js';
import { createLogger } from './logger.js';

export interface Container extends AsyncDisposable {
  readonly deps: Deps;
}

/**
 * Builds what the service runs on, as the configuration says. Disposing of it
 * closes the store.
 *
 * @throws {ConfigError}
 * @throws {StoreOpenError}
 * @param onFatal called when the store can no longer promise durability: the process must end
 */
export async function createContainer(
  config: Config,
  onFatal: (error: unknown) => void,
  overrides: Partial<Deps> = {},
): Promise<Container> {
  const now = overrides.now ?? (() => Date.now() * 1_000);
  const store = overrides.store ?? (await openStore(config, now, onFatal));
  const deps: Deps = {
    store,
    embedder: overrides.embedder ?? openEmbedder(config),
    rateLimiter: new MemoryRateLimiter(config.rateLimits),
    logger: createLogger(config.logLevel),
    now,
    newId: () => v7(),
    limits: config.limits,
    ...overrides,
  };
  return { deps, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

async function openStore(
  { dataDir }: Config,
  now: () => number,
  onFatal: (error: unknown) => void,
): Promise<Deps['store']> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK);
  } catch (error) {
    throw new ConfigError([`set SERVICE_DATA_DIR to a folder that can be written: ${dataDir} cannot`], error);
  }
  return openSqliteStore({ dataDir, now, onFatal });
}

function openEmbedder({ embedding }: Config): Deps['embedder'] {
  try {
    return createEmbedder(embedding);
  } catch (error) {
    throw new ConfigError([(error as Error).message], error);
  }
}
