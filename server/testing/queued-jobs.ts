import { onTestFinished, vi } from 'vitest';
import type { JobHandler, NewJob } from '../ports/job-queue.js';
import type { Store } from '../ports/store.js';
import { anOrganization } from './memories.js';

export type Outbound = JobHandler<'deliver-outbound'>;

/** Whatever runs from here on was told of, not found. */
export function withoutPolling(): void {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** A handler that notes which deliveries it was given. */
export function recording(overrides: Partial<Outbound> = {}): { handler: Outbound; ran: string[] } {
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

/** A job that is known by the id of its delivery. */
export function job(deliveryId: string): NewJob & { name: 'deliver-outbound' } {
  return { name: 'deliver-outbound', data: { organizationId: 'o', deliveryId } };
}

/** Enqueues jobs in one unit of an organization of their own. */
export async function enqueue(store: Store, ...jobs: NewJob[]): Promise<void> {
  const organizationId = await anOrganization(store);
  await store.transact(organizationId, async (unit) => {
    for (const each of jobs) await unit.enqueue(each);
  });
}
