import { describe, expect, onTestFinished, test } from 'vitest';
import type { NewJob } from '../../../ports/job-queue.js';
import { anOrganization } from '../../fixtures/memories.js';
import { enqueue, job, recording, withoutPolling } from '../../fixtures/queued-jobs.js';
import type { JobQueueOpening } from './job-queue.suite.js';
import { attempts, gate } from './job-runs.js';

const HOUR_MS = 60 * 60 * 1_000;

/** Tests which jobs run, when, and how many at a time. */
export function runsSuite(name: string, { openEmpty }: JobQueueOpening): void {
  describe(`${name}: the job queue`, () => {
    test('runs a job with its data as soon as its unit is committed', async () => {
      const { store, jobs } = await openEmpty();
      withoutPolling();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });

      await Promise.all([attempts(jobs, 1), enqueue(store, job('a'))]);

      expect(ran).toEqual(['a']);
      expect(await jobs.backlog()).toEqual([]);
    });

    test('runs no job of a unit that failed', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });
      const organizationId = await anOrganization(store);

      const failed = store.transact(organizationId, async (unit) => {
        await unit.enqueue(job('dropped'));
        throw new Error('the unit fails');
      });
      await expect(failed).rejects.toThrow('the unit fails');
      await Promise.all([attempts(jobs, 1), enqueue(store, job('kept'))]);

      expect(ran).toEqual(['kept']);
    });

    test('runs jobs that were enqueued before it started', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await enqueue(store, job('a'), job('b'));

      await Promise.all([attempts(jobs, 2), jobs.start({ 'deliver-outbound': handler })]);

      expect(ran.sort()).toEqual(['a', 'b']);
    });

    test('runs each of many jobs once, within its concurrency, without idle time in between', async () => {
      const { store, jobs } = await openEmpty();
      withoutPolling();
      let [running, most] = [0, 0];
      const full = gate();
      const { handler, ran } = recording({
        concurrency: 3,
        run: async () => {
          running += 1;
          most = Math.max(most, running);
          if (running === 3) full.open();
          await full.opened;
          running -= 1;
          return undefined;
        },
      });
      await jobs.start({ 'deliver-outbound': handler });
      const ids = Array.from({ length: 60 }, (_, index) => `job ${index}`);

      await Promise.all([attempts(jobs, ids.length), enqueue(store, ...ids.map((id) => job(id)))]);

      expect(ran.sort()).toEqual(ids.sort());
      expect(most).toBe(3);
    });

    test('runs no job before its time', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });
      const later = { ...job('later'), runAt: (Date.now() + HOUR_MS) * 1_000 };
      const past = { ...job('past'), runAt: (Date.now() - HOUR_MS) * 1_000 };

      await Promise.all([attempts(jobs, 2), enqueue(store, later, past, job('now'))]);

      expect(ran.sort()).toEqual(['now', 'past']);
      expect(await jobs.backlog()).toEqual([{ name: 'deliver-outbound', waiting: 0, failed: 0, oldestWaitMs: 0 }]);
    });

    test('keeps jobs whose name has no handler', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });
      const ingest: NewJob = { name: 'ingest-delivery', data: { organizationId: 'o', deliveryKey: 'd' } };

      await Promise.all([attempts(jobs, 1), enqueue(store, ingest, job('a'))]);

      expect(ran).toEqual(['a']);
      expect(await jobs.backlog()).toMatchObject([{ name: 'ingest-delivery', waiting: 1, failed: 0 }]);
    });

    test('runs jobs of one name while jobs of another are stuck', async () => {
      const { store, jobs } = await openEmpty();
      const stuck = gate();
      const { handler, ran } = recording();
      await jobs.start({
        'deliver-outbound': handler,
        'ingest-delivery': {
          concurrency: 1,
          faultRetryDelaysMs: [],
          run: () => stuck.opened.then(() => undefined),
        },
      });
      onTestFinished(stuck.open);
      const ingest: NewJob = { name: 'ingest-delivery', data: { organizationId: 'o', deliveryKey: 'd' } };
      await enqueue(store, ingest, ingest);

      await Promise.all([attempts(jobs, 2), enqueue(store, job('a'), job('b'))]);

      expect(ran.sort()).toEqual(['a', 'b']);
      stuck.open();
    });
  });
}
