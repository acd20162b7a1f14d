import { onTestFinished } from 'vitest';
import { createLogger } from '../../../logger.js';
import { jobQueueSuite, type QueuedStore } from '../../../testing/adapter-suites/jobs/job-queue.suite.js';
import { DIMENSIONS } from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { AgendaJobQueue } from '../../agenda/job-queue.js';
import { openMongoStore } from '../store.js';

const databases = new MongoDatabases(DIMENSIONS);
const uris = new WeakMap<object, string>();

jobQueueSuite('mongodb', {
  openEmpty: async () => open(await databases.acquire()),
  async afterCrash({ store }) {
    // The connection is closed, and the queue that still runs detects it.
    await store[Symbol.asyncDispose]();
    return open(uris.get(store) ?? '');
  },
});

async function open(uri: string): Promise<QueuedStore> {
  const store = await openMongoStore({ uri, dimensions: DIMENSIONS, now: () => Date.now() * 1_000 });
  uris.set(store, uri);
  const jobs = new AgendaJobQueue(store.jobs, createLogger('silent'));
  onTestFinished(async () => {
    await jobs[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  return { store, jobs };
}
