import { describe, expect, onTestFinished, test } from 'vitest';
import { TenantSlots } from '../../../domain/fairness/tenant-slots.js';
import { DeliverySlots } from '../../../domain/outbound/slots.js';
import type { JobHandler, NewJob } from '../../../ports/job-queue.js';
import { enqueue, recording } from '../../fixtures/queued-jobs.js';
import type { JobQueueOpening } from './job-queue.suite.js';
import { attempts, gate } from './job-runs.js';

const SHARE_OF_TENANT = 16;

/** Tests how jobs that need slots share them among tenants and lanes. */
export function lanesSuite(name: string, { openEmpty }: JobQueueOpening): void {
  describe(`${name}: the job queue with slots`, () => {
    test('runs a job at once while another tenant has hundreds due and uses its whole share', async () => {
      const { store, jobs } = await openEmpty();
      const { held, shareInUse, handler, ran } = stuckFor('busy');
      await enqueue(store, ...Array.from({ length: 300 }, (_, n) => laneJob('busy', `lane ${n % 20}`, `busy ${n}`)));
      await jobs.start({ 'deliver-outbound': handler });
      await shareInUse.opened;

      await Promise.all([attempts(jobs, 1), enqueue(store, laneJob('bystander', 'lane', 'bystander'))]);

      expect(ran.filter((id) => id.startsWith('busy'))).toHaveLength(SHARE_OF_TENANT);
      expect(ran.at(-1)).toBe('bystander');
      held.open();
    });

    test('ingests all deliveries of one tenant within one turn while another has a backlog', async () => {
      const { store, jobs } = await openEmpty();
      const { held, shareInUse, handler, ran } = ingesting('busy', 2);
      await enqueue(store, ...Array.from({ length: 50 }, (_, n) => ingestJob('busy', `busy ${n}`)));
      await jobs.start({ 'ingest-delivery': handler });
      await shareInUse.opened;

      await Promise.all([
        attempts(jobs, 3),
        enqueue(store, ...[1, 2, 3].map((n) => ingestJob('bystander', `bystander ${n}`))),
      ]);

      expect(ran.filter((key) => key.startsWith('busy'))).toHaveLength(2);
      expect(ran.slice(2).sort()).toEqual(['bystander 1', 'bystander 2', 'bystander 3']);
      held.open();
    });

    test('runs jobs of a lane while another lane of the same tenant has no free slot', async () => {
      const { store, jobs } = await openEmpty();
      const stuck = gate();
      onTestFinished(stuck.open);
      const { handler, ran } = recording({
        concurrency: 128,
        slots: new DeliverySlots(() => 0),
        run: ({ webhookId }) =>
          webhookId === 'full' ? stuck.opened.then(() => undefined) : Promise.resolve(undefined),
      });
      await enqueue(store, ...Array.from({ length: 20 }, (_, n) => laneJob('one', 'full', `full ${n}`)));
      const quick = Array.from({ length: 5 }, (_, n) => laneJob('one', 'free', `free ${n}`));

      await Promise.all([attempts(jobs, 5), enqueue(store, ...quick), jobs.start({ 'deliver-outbound': handler })]);

      expect(ran.filter((id) => id.startsWith('free')).sort()).toEqual(quick.map(({ data }) => data.deliveryId));
      expect(ran.filter((id) => id.startsWith('full'))).toHaveLength(4);
      stuck.open();
    });

    test('runs every job once as slots become free, including jobs without a lane', async () => {
      const { store, jobs } = await openEmpty();
      const { handler, ran } = recording({ concurrency: 128, slots: new DeliverySlots(() => 0) });
      const made = Array.from({ length: 60 }, (_, n) => laneJob(`tenant ${n % 3}`, `lane ${n % 2}`, `job ${n}`));
      const old: NewJob = { name: 'deliver-outbound', data: { organizationId: 'tenant 0', deliveryId: 'old' } };

      await Promise.all([
        attempts(jobs, 61),
        jobs.start({ 'deliver-outbound': handler }),
        enqueue(store, old, ...made),
      ]);

      expect(ran.sort()).toEqual(['old', ...made.map(({ data }) => data.deliveryId)].sort());
      expect(await jobs.backlog()).toEqual([]);
    });
  });
}

/** Returns a handler whose jobs of one tenant wait until `held` opens. */
function stuckFor(tenant: string) {
  const [held, shareInUse] = [gate(), gate()];
  onTestFinished(held.open);
  let running = 0;
  const recorded = recording({
    concurrency: 128,
    slots: new DeliverySlots(() => 0),
    run: async ({ organizationId }) => {
      if (organizationId !== tenant) return undefined;
      running += 1;
      if (running === SHARE_OF_TENANT) shareInUse.open();
      await held.opened;
      return undefined;
    },
  });
  return { held, shareInUse, ...recorded };
}

/** Returns a handler of inbound deliveries; those of one tenant wait until `held` opens. */
function ingesting(tenant: string, share: number) {
  const [held, shareInUse] = [gate(), gate()];
  onTestFinished(held.open);
  const ran: string[] = [];
  const handler: JobHandler<'ingest-delivery'> = {
    concurrency: 4,
    slots: new TenantSlots('ingestJobs'),
    faultRetryDelaysMs: [],
    async run({ organizationId, deliveryKey }) {
      ran.push(deliveryKey);
      if (organizationId !== tenant) return undefined;
      if (ran.length === share) shareInUse.open();
      await held.opened;
      return undefined;
    },
  };
  return { held, shareInUse, handler, ran };
}

function ingestJob(organizationId: string, deliveryKey: string): NewJob {
  return { name: 'ingest-delivery', data: { organizationId, deliveryKey } };
}

function laneJob(organizationId: string, webhookId: string, deliveryId: string): NewJob & { name: 'deliver-outbound' } {
  return { name: 'deliver-outbound', data: { organizationId, webhookId, deliveryId } };
}
