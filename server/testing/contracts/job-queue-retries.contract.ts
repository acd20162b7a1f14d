import { describe, expect, test } from 'vitest';
import { RetryLaterError } from '../../ports/job-queue.js';
import { enqueue, job, type Outbound, recording, withoutPolling } from '../fixtures/queued-jobs.js';
import type { JobQueueOpening } from './job-queue.contract.js';
import { attempts } from './job-runs.js';

const HOUR_MS = 60 * 60 * 1_000;

/** What follows an attempt that does not end its job. */
export function retriesContract(name: string, { openEmpty }: JobQueueOpening): void {
  describe(`${name}: the job queue`, () => {
    test('tries again after a failure, as often as there are pauses, and then gives up and keeps the job', async () => {
      const { store, jobs } = await openEmpty();
      withoutPolling();
      const numbers: { number: number; isLast: boolean }[] = [];
      const givenUp: unknown[] = [];
      const handler: Outbound = {
        concurrency: 1,
        retryDelaysMs: [0, 0],
        async run(_data, attempt) {
          numbers.push(attempt);
          throw new TypeError('what the job worked on');
        },
        async giveUp(data, errorName) {
          givenUp.push({ ...data, errorName });
        },
      };
      await jobs.start({ 'deliver-outbound': handler });

      const [finished] = await Promise.all([attempts(jobs, 3), enqueue(store, job('a'))]);

      expect(finished.map(({ outcome }) => outcome)).toEqual(['retried', 'retried', 'failed']);
      expect(numbers).toEqual([
        { number: 1, isLast: false },
        { number: 2, isLast: false },
        { number: 3, isLast: true },
      ]);
      expect(givenUp).toEqual([{ ...job('a').data, errorName: 'TypeError' }]);
      expect(await jobs.backlog()).toEqual([{ name: 'deliver-outbound', waiting: 0, failed: 1, oldestWaitMs: 0 }]);
    });

    test('ends a job whose later attempt succeeds', async () => {
      const { store, jobs } = await openEmpty();
      const { handler } = recording({
        retryDelaysMs: [0],
        run: async (_data, { number }) => {
          if (number === 1) throw new Error('once');
          return undefined;
        },
      });
      await jobs.start({ 'deliver-outbound': handler });

      const [finished] = await Promise.all([attempts(jobs, 2), enqueue(store, job('a'))]);

      expect(finished.map(({ outcome }) => outcome)).toEqual(['retried', 'done']);
      expect(await jobs.backlog()).toEqual([]);
    });

    test('waits longer where the failure says so', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording({
        retryDelaysMs: [0],
        run: async ({ deliveryId }) => {
          if (deliveryId === 'slow') throw new RetryLaterError('not now', HOUR_MS);
          return undefined;
        },
      });
      await jobs.start({ 'deliver-outbound': handler });

      await Promise.all([attempts(jobs, 1), enqueue(store, job('slow'))]);
      await Promise.all([attempts(jobs, 1), enqueue(store, job('other'))]);

      expect(ran).toEqual(['slow', 'other']);
      expect(await jobs.backlog()).toMatchObject([{ waiting: 0, failed: 0 }]);
    });

    test('runs a deferred job again as if it had never run', async () => {
      const { store, jobs } = await openEmpty();
      const numbers: number[] = [];
      const { handler } = recording({
        run: async (_data, { number }) => {
          numbers.push(number);
          return numbers.length === 1 ? { deferMs: 0 } : undefined;
        },
      });
      await jobs.start({ 'deliver-outbound': handler });

      const [finished] = await Promise.all([attempts(jobs, 2), enqueue(store, job('a'))]);

      expect(finished.map(({ outcome }) => outcome)).toEqual(['deferred', 'done']);
      expect(numbers).toEqual([1, 1]);
    });

    test('goes on when a job cannot even be marked as failed', async () => {
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
