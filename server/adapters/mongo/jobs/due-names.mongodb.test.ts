import { setTimeout } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../../logger.js';
import { DIMENSIONS } from '../../../testing/fixtures/memories.js';
import { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { AgendaJobQueue } from '../../agenda/job-queue.js';
import type { JobDocument } from '../engine/collections.js';
import { openMongoStore } from '../store.js';
import { DueNames } from './due-names.js';
import { toJobDocument } from './job-documents.js';

const databases = new MongoDatabases(DIMENSIONS);
const LOCK_MS = 60_000;
const MINUTE_MS = 60_000;

describe('the names that may have jobs', () => {
  test('are known from one read in five seconds', async () => {
    const { due, reads, ask } = await open();
    await ask('deliver-outbound', 'ingest-delivery', 'reembed');

    expect(await ask('deliver-outbound', 'ingest-delivery', 'reembed')).toEqual([]);
    expect(await ask('reembed', 'deliver-outbound')).toEqual([]);
    expect(reads()).toBe(1);

    vi.advanceTimersByTime(5_000);
    expect(await ask('reembed', 'deliver-outbound')).toEqual([]);
    expect(reads()).toBe(2);
    due.add('reembed');
    expect(await ask('reembed', 'deliver-outbound')).toEqual(['reembed']);
    expect(reads()).toBe(2);
  });

  test('include those of other processes whose jobs are due, will be soon, or were lost', async () => {
    const { jobs, ask } = await open();
    const names = ['deliver-outbound', 'ingest-delivery', 'reembed', 'erase-subject', 'delete-organization'] as const;
    const [due, soon, later, lost, running] = names;
    await ask(...names);
    const now = Date.now();
    await jobs.insertMany([
      jobOf(due, { nextRunAt: new Date(now - 1) }),
      jobOf(soon, { nextRunAt: new Date(now + 7_000) }),
      jobOf(later, { nextRunAt: new Date(now + MINUTE_MS) }),
      jobOf(lost, { nextRunAt: null, lockedAt: new Date(now - LOCK_MS - 1) }),
      jobOf(running, { nextRunAt: null, lockedAt: new Date(now) }),
    ]);

    expect(await ask(...names)).toEqual([due, soon, lost]);
    vi.advanceTimersByTime(MINUTE_MS - 5_000);
    expect(await ask(later)).toEqual([later]);
  });

  test('are all of them if there are more jobs than one read returns', async () => {
    const { jobs, ask } = await open();
    await ask('deliver-outbound', 'reembed', 'ingest-delivery');
    await jobs.insertMany(Array.from({ length: 150 }, () => jobOf('deliver-outbound', {})));

    expect(await ask('deliver-outbound', 'reembed', 'ingest-delivery')).toHaveLength(3);
  });

  test('are read again after a failed read', async () => {
    const { due, jobs, ask } = await open();
    await ask('reembed');
    await jobs.insertOne(jobOf('reembed', {}));
    const failing = vi.spyOn(jobs, 'find').mockImplementationOnce(() => {
      throw new Error('the connection broke');
    });

    await expect(due.has('reembed', new Date(Date.now() - LOCK_MS))).rejects.toThrow('the connection broke');
    expect(failing).toHaveBeenCalledOnce();
    expect(await ask('reembed')).toEqual(['reembed']);
  });
});

test('a queue without work sends two reads in ten seconds, and locks nothing', async () => {
  const uri = await databases.acquire();
  const proxy = await FaultProxy.start(uri);
  const store = await openMongoStore({
    uri: proxy.through(uri),
    dimensions: DIMENSIONS,
    now: () => Date.now() * 1_000,
  });
  const jobs = new AgendaJobQueue(store.jobs, createLogger('silent'));
  onTestFinished(async () => {
    await jobs[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });
  const handler = { concurrency: 2, faultRetryDelaysMs: [], run: async () => undefined };
  await jobs.start({ 'deliver-outbound': handler, 'ingest-delivery': handler, reembed: handler });
  await setTimeout(3_000);

  proxy.script();
  await setTimeout(10_000);

  expect(proxy.seen.filter((name) => name === 'findAndModify')).toEqual([]);
  expect(proxy.seen.filter((name) => name === 'find').length).toBeLessThanOrEqual(3);
});

async function open() {
  const client = await MongoClient.connect(await databases.acquire());
  onTestFinished(() => client.close());
  const jobs = client.db().collection<JobDocument>('jobs');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const due = new DueNames(jobs);
  const find = vi.spyOn(jobs, 'find');
  const ask = async (...names: string[]) => {
    const lockDeadline = new Date(Date.now() - LOCK_MS);
    const answers = await Promise.all(names.map((name) => due.has(name, lockDeadline)));
    return names.filter((_, at) => answers[at]);
  };
  return { due, jobs, ask, reads: () => find.mock.calls.length };
}

function jobOf(name: JobDocument['name'], state: Partial<JobDocument>): JobDocument {
  const data = { organizationId: 'o', deliveryKey: 'd' };
  return { ...toJobDocument({ name: 'ingest-delivery', data }), _id: new ObjectId(), name, ...state };
}
