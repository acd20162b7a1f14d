import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type JobHandler, type JobQueue, type NewJob, RetryLaterError } from '../ports/job-queue.js';
import type { Store } from '../ports/store.js';
import { attempts, gate } from './job-runs.js';
import { anOrganization } from './memories.js';

const HOUR_MS = 60 * 60 * 1_000;

/** A store and the queue that runs its jobs. */
export interface QueuedStore {
  store: Store;
  /** Not started. */
  jobs: JobQueue;
}

/** How the contract suite gets its queues. The adapter's test ends them and removes what they left. */
export interface JobQueueOpening {
  openEmpty(): Promise<QueuedStore>;
  /** Opens what was stored again, as after the process had been killed: nothing of the first is ended properly. */
  afterCrash(crashed: QueuedStore): Promise<QueuedStore>;
}

type Outbound = JobHandler<'deliver-outbound'>;

/** What the job queue of every store must do. */
export function jobQueueContract(name: string, { openEmpty, afterCrash }: JobQueueOpening): void {
  describe(`${name}: the job queue`, () => {
    test('runs a job with its data as soon as the unit that enqueued it is committed', async () => {
      const { store, jobs } = await openEmpty();
      withoutPolling();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });

      await Promise.all([attempts(jobs, 1), enqueue(store, job('a'))]);

      expect(ran).toEqual(['a']);
      expect(await jobs.backlog()).toEqual([]);
    });

    test('runs nothing of a unit that failed', async () => {
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

    test('runs what was enqueued before it started', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await enqueue(store, job('a'), job('b'));

      await Promise.all([attempts(jobs, 2), jobs.start({ 'deliver-outbound': handler })]);

      expect(ran.sort()).toEqual(['a', 'b']);
    });

    test('runs every one of many jobs once, never more at a time than it may, without waiting in between', async () => {
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

    test('leaves a job alone until its time has come', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });
      const later = { ...job('later'), runAt: (Date.now() + HOUR_MS) * 1_000 };
      const past = { ...job('past'), runAt: (Date.now() - HOUR_MS) * 1_000 };

      await Promise.all([attempts(jobs, 2), enqueue(store, later, past, job('now'))]);

      expect(ran.sort()).toEqual(['now', 'past']);
      expect(await jobs.backlog()).toEqual([{ name: 'deliver-outbound', waiting: 0, failed: 0, oldestWaitMs: 0 }]);
    });

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

    test('lets jobs of a name without a handler wait', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording();
      await jobs.start({ 'deliver-outbound': handler });
      const ingest: NewJob = { name: 'ingest-delivery', data: { organizationId: 'o', deliveryKey: 'd' } };

      await Promise.all([attempts(jobs, 1), enqueue(store, ingest, job('a'))]);

      expect(ran).toEqual(['a']);
      expect(await jobs.backlog()).toMatchObject([{ name: 'ingest-delivery', waiting: 1, failed: 0 }]);
    });

    test('goes on with one name while jobs of another are stuck', async () => {
      const { store, jobs } = await openEmpty();
      const stuck = gate();
      const { handler, ran } = recording();
      await jobs.start({
        'deliver-outbound': handler,
        'ingest-delivery': {
          concurrency: 1,
          retryDelaysMs: [],
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

    test('runs a job again that was running when its process was killed', async () => {
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

    test('waits for what runs when it is told to end, and gives back what does not', async () => {
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

/** Whatever runs from here on was told of, not found. */
function withoutPolling(): void {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

function recording(overrides: Partial<Outbound> = {}): { handler: Outbound; ran: string[] } {
  const ran: string[] = [];
  const run = overrides.run ?? (async () => undefined);
  const handler: Outbound = {
    concurrency: 4,
    retryDelaysMs: [],
    ...overrides,
    run(data, attempt) {
      ran.push(data.deliveryId);
      return run(data, attempt);
    },
  };
  return { handler, ran };
}

function job(deliveryId: string): NewJob & { name: 'deliver-outbound' } {
  return { name: 'deliver-outbound', data: { organizationId: 'o', deliveryId } };
}

/** In one unit of an organization of their own. */
async function enqueue(store: Store, ...jobs: NewJob[]): Promise<void> {
  const organizationId = await anOrganization(store);
  await store.transact(organizationId, async (unit) => {
    for (const each of jobs) await unit.enqueue(each);
  });
}
