import { onTestFinished } from 'vitest';
import { modelSuite } from '../../testing/adapter-suites/model/store-model.suite.js';
import { chunkContextSuite } from '../../testing/adapter-suites/search/store-chunk-context.suite.js';
import { filtersSuite } from '../../testing/adapter-suites/search/store-filters.suite.js';
import { groupsSuite } from '../../testing/adapter-suites/search/store-groups.suite.js';
import { keywordsSuite } from '../../testing/adapter-suites/search/store-keywords.suite.js';
import { whereSuite } from '../../testing/adapter-suites/search/store-where.suite.js';
import type { StoreOpening } from '../../testing/adapter-suites/store.suite.js';
import { DIMENSIONS } from '../../testing/fixtures/memories.js';
import { INDEX_LAG_MS, MongoDatabases, thisRun } from '../../testing/mongodb/mongo-databases.js';

const databases = new MongoDatabases(DIMENSIONS, 'search');

// On other deployments the index gets a write later, and searched-words.mongodb.test.ts waits for it.
if (!thisRun().indexLags) searchSuites('mongodb, every word in the search index', 0);
searchSuites('mongodb, no word in the search index', INDEX_LAG_MS);

/** Runs the suites that search by words, on the search index of words. */
function searchSuites(name: string, indexLagMs: number): void {
  const opening: StoreOpening = {
    modelRuns: 15,
    async openEmpty({ now = () => Date.now() * 1_000 } = {}) {
      // No search may compare all memories, which would hide that it cannot use the index.
      const store = databases.open(await databases.acquire(), { now, indexLagMs, maxCompared: 0 });
      onTestFinished(() => store[Symbol.asyncDispose]());
      return store;
    },
  };
  keywordsSuite(name, opening);
  chunkContextSuite(name, opening);
  groupsSuite(name, opening);
  filtersSuite(name, opening);
  whereSuite(name, opening);
  modelSuite(name, opening);
}
