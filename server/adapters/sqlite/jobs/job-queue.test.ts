import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../logger.js';
import { jobQueueSuite, type QueuedStore } from '../../../testing/adapter-suites/jobs/job-queue.suite.js';
import { attempts } from '../../../testing/adapter-suites/jobs/job-runs.js';
import { anOrganization } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { AgendaJobQueue } from '../../agenda/job-queue.js';
import { Connection } from '../engine/connection.js';
import type { SqliteStore } from '../sqlite-store.js';
import { openSqliteStore } from '../store.js';

const folders = new WeakMap<object, string>();

jobQueueSuite('sqlite', {
  openEmpty: () => open(quickFolder()),
  async afterCrash({ store }) {
    // Closing the store releases the lock of the folder. The old queue then gets errors from the closed store.
    await store[Symbol.asyncDispose]();
    return open(folders.get(store) ?? '');
  },
});

const OUTBOUND = { name: 'deliver-outbound', data: { organizationId: 'o', deliveryId: 'd' } } as const;

test('stores the class of the error of a failed job, but not its message', async () => {
  const dataDir = quickFolder();
  const { store, jobs } = await open(dataDir);
  const organizationId = await anOrganization(store);
  const run = () => Promise.reject(new RangeError('a secret of the tenant'));
  await jobs.start({ 'deliver-outbound': { concurrency: 1, faultRetryDelaysMs: [], run } });

  await Promise.all([attempts(jobs, 1), store.transact(organizationId, (unit) => unit.enqueue(OUTBOUND))]);

  const rows = look(dataDir).all<{ fail_reason: string }>('SELECT * FROM jobs');
  expect(rows).toMatchObject([{ fail_reason: 'RangeError', fail_count: 1, next_run_at: null, locked_at: null }]);
});

test('gives up a job that crashed its process too often', async () => {
  const dataDir = quickFolder();
  const { store, jobs } = await open(dataDir);
  const organizationId = await anOrganization(store);
  await store.transact(organizationId, (unit) => unit.enqueue(OUTBOUND));
  await store[Symbol.asyncDispose]();
  const writer = new Connection(join(dataDir, 'memory.db'));
  writer.run('UPDATE jobs SET crashes = 10, next_run_at = NULL, locked_at = 1, last_run_at = 1');
  writer.close();
  await jobs[Symbol.asyncDispose]();
  const next = await open(dataDir);
  const givenUp: string[] = [];

  await Promise.all([
    attempts(next.jobs, 1),
    next.jobs.start({
      'deliver-outbound': {
        concurrency: 1,
        faultRetryDelaysMs: [0, 0],
        run: () => Promise.reject(new Error('it ran')),
        async giveUp(_data, errorName) {
          givenUp.push(errorName);
        },
      },
    }),
  ]);

  expect(givenUp).toEqual(['ProcessCrash']);
  expect(await next.jobs.backlog()).toMatchObject([{ waiting: 0, failed: 1 }]);
});

test('deletes jobs that were given up more than 30 days ago', async () => {
  const dataDir = quickFolder();
  const { store } = await open(dataDir);
  const organizationId = await anOrganization(store);
  await store.transact(organizationId, async (unit) => {
    await unit.enqueue(OUTBOUND);
    await unit.enqueue(OUTBOUND);
  });
  await store[Symbol.asyncDispose]();
  const writer = new Connection(join(dataDir, 'memory.db'));
  const daysAgo = (days: number) => Date.now() - days * 24 * 60 * 60 * 1_000;
  writer.run('UPDATE jobs SET next_run_at = NULL, failed_at = iif(key = 1, ?, ?)', daysAgo(31), daysAgo(29));
  writer.close();

  const next = await open(dataDir);
  await next.jobs.start({});

  expect(look(dataDir).all<{ key: number }>('SELECT key FROM jobs')).toEqual([{ key: 2 }]);
});

async function open(dataDir: string): Promise<QueuedStore & { store: SqliteStore }> {
  const store = await openSqliteStore({ dataDir });
  folders.set(store, dataDir);
  const jobs = new AgendaJobQueue(store.jobs, createLogger('silent'));
  onTestFinished(async () => {
    await jobs[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  return { store, jobs };
}

function look(dataDir: string): Connection {
  const connection = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
  onTestFinished(() => connection.close());
  return connection;
}
