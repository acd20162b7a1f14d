import { describe, expect, onTestFinished, test } from 'vitest';
import { enqueue, job, recording } from '../../fixtures/queued-jobs.js';
import type { JobQueueOpening } from './job-queue.suite.js';
import { attempts, gate } from './job-runs.js';

/** Tests what happens to the jobs of a process that stops, cleanly or not. */
export function endsSuite(name: string, { openEmpty, afterCrash }: JobQueueOpening): void {
  describe(`${name}: the job queue`, () => {
    test('runs a job again if its process was killed during the attempt', async () => {
      const first = await openEmpty();
      const started = gate();
      const never = gate();
      onTestFinished(never.open);
      const { handler } = recording({
        lockMs: 1_000,
        run: async () => {
          started.open();
          await never.opened;
          return undefined;
        },
      });
      await first.jobs.start({ 'deliver-outbound': handler });
      await Promise.all([started.opened, enqueue(first.store, job('a'))]);

      const second = await afterCrash(first);
      const again = recording({ lockMs: 1_000 });
      await Promise.all([attempts(second.jobs, 1), second.jobs.start({ 'deliver-outbound': again.handler })]);

      expect(again.ran).toEqual(['a']);
      expect(await second.jobs.backlog()).toEqual([]);
    });

    test('waits for running jobs when it stops, and returns those that do not end to the queue', async () => {
      const first = await openEmpty();
      const [started, finish] = [gate(), gate()];
      const { handler, ran } = recording({
        concurrency: 1,
        run: async () => {
          started.open();
          await finish.opened;
          return undefined;
        },
      });
      await first.jobs.start({ 'deliver-outbound': handler });
      await Promise.all([started.opened, enqueue(first.store, job('first'))]);
      await enqueue(first.store, job('second'));

      let ended = false;
      const ending = first.jobs[Symbol.asyncDispose]().then(() => {
        ended = true;
      });
      await new Promise(setImmediate);
      expect(ended).toBe(false);
      finish.open();
      await ending;
      const second = await afterCrash(first);
      const rest = recording();
      await Promise.all([attempts(second.jobs, 1), second.jobs.start({ 'deliver-outbound': rest.handler })]);

      expect(ran).toEqual(['first']);
      expect(rest.ran).toEqual(['second']);
    });
  });
}
