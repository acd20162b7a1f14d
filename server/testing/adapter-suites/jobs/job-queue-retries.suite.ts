import { describe, expect, test } from 'vitest';
import { enqueue, job, type Outbound, recording, withoutPolling } from '../../fixtures/queued-jobs.js';
import type { JobQueueOpening } from './job-queue.suite.js';
import { attempts } from './job-runs.js';

/** Tests what follows an attempt that fails or defers its job. */
export function retriesSuite(name: string, { openEmpty }: JobQueueOpening): void {
  describe(`${name}: the job queue`, () => {
    test('retries once for each delay, then gives up and keeps the job', async () => {
      const { store, jobs } = await openEmpty();
      withoutPolling();
      const givenUp: unknown[] = [];
      const handler: Outbound = {
        concurrency: 1,
        faultRetryDelaysMs: [0, 0],
        async run() {
          throw new TypeError('what the job worked on');
        },
        async giveUp(data, errorName) {
          givenUp.push({ ...data, errorName });
        },
      };
      await jobs.start({ 'deliver-outbound': handler });

      const [finished] = await Promise.all([attempts(jobs, 3), enqueue(store, job('a'))]);

      expect(finished.map(({ outcome }) => outcome)).toEqual(['retried', 'retried', 'failed']);
      expect(givenUp).toEqual([{ ...job('a').data, errorName: 'TypeError' }]);
      expect(await jobs.backlog()).toEqual([{ name: 'deliver-outbound', waiting: 0, failed: 1, oldestWaitMs: 0 }]);
    });

    test('completes a job if a retry succeeds', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording({
        faultRetryDelaysMs: [0],
        run: async () => {
          if (ran.length === 1) throw new Error('once');
          return undefined;
        },
      });
      await jobs.start({ 'deliver-outbound': handler });

      const [finished] = await Promise.all([attempts(jobs, 2), enqueue(store, job('a'))]);

      expect(finished.map(({ outcome }) => outcome)).toEqual(['retried', 'done']);
      expect(await jobs.backlog()).toEqual([]);
    });

    test('runs a deferred job again as if it had never run', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording({
        faultRetryDelaysMs: [0],
        run: async () => {
          if (ran.length === 2) return { deferMs: 0 };
          if (ran.length % 2 === 1) throw new Error('before and after the deferral');
          return undefined;
        },
      });
      await jobs.start({ 'deliver-outbound': handler });

      const [finished] = await Promise.all([attempts(jobs, 4), enqueue(store, job('a'))]);

      expect(finished.map(({ outcome }) => outcome)).toEqual(['retried', 'deferred', 'retried', 'done']);
    });

    test('keeps running other jobs if a job cannot be marked as failed', async () => {
      const { store, jobs } = await openEmpty();
      const { handler } = recording({
        run: async ({ deliveryId }) => {
          if (deliveryId === 'bad') throw new Error('bad');
          return undefined;
        },
        giveUp: () => Promise.reject(new Error('worse')),
      });
      await jobs.start({ 'deliver-outbound': handler });

      await Promise.all([attempts(jobs, 1), enqueue(store, job('bad'))]);
      const [finished] = await Promise.all([attempts(jobs, 1), enqueue(store, job('good'))]);

      expect(finished).toMatchObject([{ name: 'deliver-outbound', outcome: 'done' }]);
    });
  });
}
