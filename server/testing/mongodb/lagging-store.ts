import { onTestFinished, vi } from 'vitest';
import { IndexWatch } from '../../adapters/mongo/index-watch.js';
import { INDEXED_WORDS } from '../../adapters/mongo/keywords/words-index.js';
import { type MongoStore, type MongoStoreOptions, openMongoStore } from '../../adapters/mongo/store.js';
import { SearchUnavailableError } from '../../ports/store-errors.js';
import { anOrganization, DIMENSIONS } from '../fixtures/memories.js';
import { FaultProxy } from './fault-proxy.js';
import { SearchLag } from './search-lag.js';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
/** INDEX_LAG_ROUNDS=2000 INDEX_LAG_SEED=11 runs longer, with other operations. A round has about five. */
export const ROUNDS = Number(process.env.INDEX_LAG_ROUNDS ?? 120);
export const SEED = Number(process.env.INDEX_LAG_SEED ?? 7);

/** A store with an organization, whose search indexes a test can delay, and whose canaries the test writes. */
export interface LaggingStore {
  tested: MongoStore;
  watch: IndexWatch;
  lag: SearchLag;
  proxy: FaultProxy;
  organizationId: string;
}

/** Opens a store that closes when the test has finished. */
export async function openLagging(
  uri: string,
  options: Omit<Partial<MongoStoreOptions>, 'uri' | 'indexes'> = {},
): Promise<LaggingStore> {
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const lag = new SearchLag(proxy);
  let watch: IndexWatch | undefined;
  const tested = await openMongoStore({
    dimensions: DIMENSIONS,
    now: () => Date.now() * 1_000,
    indexes: ({ memories }) =>
      (watch = new IndexWatch(memories, options.keywords === 'search' ? INDEXED_WORDS : undefined)),
    ...options,
    uri: proxy.through(uri),
  });
  onTestFinished(() => tested[Symbol.asyncDispose]());
  if (!watch) throw new Error('the store did not open its search indexes');
  return { tested, watch, lag, proxy, organizationId: await anOrganization(tested) };
}

/** Moves the faked time of the process. */
export function wait(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Lets time pass, and maybe moves, drops or restores the index. */
export async function disturb({ watch, lag }: LaggingStore, random: () => number): Promise<void> {
  wait(random() * MINUTE_MS);
  if (random() < 0.7) lag.includeUntil(new Date(Date.now() - random() * 300 * SECOND_MS));
  if (random() < 0.1) lag.drop();
  if (random() < 0.3) lag.restore();
  if (random() < 0.6) await watch.beat();
}

/** Returns undefined if the search is refused. */
export async function unlessRefused<Found>(search: Promise<Found>): Promise<Found | undefined> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof SearchUnavailableError) return undefined;
    throw error;
  }
}
