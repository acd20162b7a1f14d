import { describe, expect, test, vi } from 'vitest';
import type { Deps } from '../deps.js';
import type { Caller } from '../domain/account/caller.js';
import { createInboundWebhook } from '../services/inbound/inbound-webhooks.js';
import { testWorld } from '../testing/app/test-deps.js';
import { anInboundDelivery } from '../testing/inbound/records.js';
import { ingestDeliveryJob } from './ingest-delivery.js';

const HOUR_MS = 60 * 60 * 1_000;

describe('ingestDeliveryJob', () => {
  test('retries a failing delivery for more than a day', async () => {
    const { deps } = await testWorld();

    const { faultRetryDelaysMs } = ingestDeliveryJob(deps);

    expect(faultRetryDelaysMs.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(24 * HOUR_MS);
    expect([...faultRetryDelaysMs]).toEqual(faultRetryDelaysMs.toSorted((a, b) => a - b));
  });

  test('defers a delivery to the next minute if the rate limit is used up', async () => {
    const { deps, caller } = await testWorld();
    const delivery = await aDelivery(deps, caller);
    const consume = vi.fn(async () => ({ allowed: false, limit: 1, remaining: 0, resetMs: 1_234 }));

    const deferral = await ingestDeliveryJob({ ...deps, rateLimiter: { consume } }).run(delivery);

    expect(deferral).toEqual({ deferMs: 1_234 });
  });

  test('marks the delivery as failed after the last attempt', async () => {
    const { deps, caller } = await testWorld();
    const delivery = await aDelivery(deps, caller);

    await ingestDeliveryJob(deps).giveUp?.(delivery, 'ProcessCrash');

    const stored = await deps.store.inbound.findDelivery(delivery.organizationId, delivery.deliveryKey);
    expect(stored).toMatchObject({ state: 'failed', reason: 'ProcessCrash' });
    expect(stored).not.toHaveProperty('sealedMemories');
  });

  test('ends at once if the delivery no longer exists', async () => {
    const { deps, caller } = await testWorld();
    const gone = { organizationId: caller.organizationId, deliveryKey: deps.newId() };

    expect(await ingestDeliveryJob(deps).run(gone)).toBeUndefined();
    await expect(ingestDeliveryJob(deps).giveUp?.(gone, 'Error')).resolves.toBeUndefined();
  });
});

/** Stores a queued delivery. */
async function aDelivery(deps: Deps, caller: Caller): Promise<{ organizationId: string; deliveryKey: string }> {
  const { webhook } = await createInboundWebhook(deps, caller, { kind: 'tracker', name: 'sender' });
  const delivery = anInboundDelivery(webhook, { sealedMemories: 'sealed' });
  await deps.store.transact(caller.organizationId, (unit) => unit.inbound.insertDelivery(delivery));
  return { organizationId: caller.organizationId, deliveryKey: delivery.key };
}
