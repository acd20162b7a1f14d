import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { Subscription } from '../../../domain/billing/subscription.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const NOON = 1_700_000_000_000_000;

/** Tests the subscriptions and events that the billing provider reported. */
export function subscriptionsSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: subscriptions`, () => {
    test('returns what was saved to units and readers', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const bare = aSubscription({ id: 'sub_1' });
      const full = aSubscription({
        id: 'sub_2',
        customerId: 'cus_1',
        periodEndsAt: 7,
        trialEndsAt: 6,
        cancelAtPeriodEnd: true,
      });

      const inside = await tested.transact(organizationId, async (unit) => {
        await unit.subscriptions.save(bare);
        await unit.subscriptions.save(full);
        return unit.subscriptions.all();
      });

      expect(inside.sort(byId)).toEqual([bare, full]);
      expect((await tested.subscriptions.of(organizationId)).sort(byId)).toEqual([bare, full]);
    });

    test('replaces a subscription with the same id', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [before, after] = [aSubscription({ trialEndsAt: 5 }), aSubscription({ status: 'canceled' })];

      await tested.transact(organizationId, (unit) => unit.subscriptions.save(before));
      await tested.transact(organizationId, (unit) => unit.subscriptions.save(after));

      expect(await tested.subscriptions.of(organizationId)).toEqual([after]);
    });

    test('remembers an event once, separately for each organization', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const record = (organizationId: string) =>
        tested.transact(organizationId, (unit) => unit.subscriptions.recordEvent('evt_1', NOON));

      expect([await record(own), await record(own), await record(other)]).toEqual([true, false, true]);
    });

    test('deletes a limited number of events before a time, earliest first, and none of another organization', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const forget = (limit: number) =>
        tested.transact(own, (unit) => unit.subscriptions.forgetEvents(NOON + 3, limit));
      for (const at of [2, 1, 0, 3]) await takeIn(tested, own, at);
      await takeIn(tested, other, 0);

      await forget(2);
      const known = [await isKnown(tested, own, 2), await isKnown(tested, own, 1)];
      await forget(9);

      expect(known).toEqual([true, false]);
      const left = [];
      for (const at of [0, 1, 2, 3]) left.push(await isKnown(tested, own, at));
      expect(left).toEqual([false, false, false, true]);
      expect(await isKnown(tested, other, 0)).toBe(true);
    });

    test('keeps no subscription and no event of a unit that failed', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const failing = tested.transact(organizationId, async (unit) => {
        await unit.subscriptions.recordEvent('evt_1', NOON);
        await unit.subscriptions.save(aSubscription());
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await tested.subscriptions.of(organizationId)).toEqual([]);
      const again = await tested.transact(organizationId, (unit) => unit.subscriptions.recordEvent('evt_1', NOON));
      expect(again).toBe(true);
    });

    test('shows an organization only its own subscriptions', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      await tested.transact(own, (unit) => unit.subscriptions.save(aSubscription()));

      expect(await tested.subscriptions.of(other)).toEqual([]);
      expect(await tested.subscriptions.of(v7())).toEqual([]);
      expect(await tested.subscriptions.of('no uuid')).toEqual([]);
    });

    test.runIf(reopen)('keeps subscriptions across a restart', async () => {
      const first = await openEmpty();
      const organizationId = await anOrganization(first);
      await first.transact(organizationId, (unit) => unit.subscriptions.save(aSubscription()));

      const tested = await reopen!(first);

      expect(await tested.subscriptions.of(organizationId)).toEqual([aSubscription()]);
    });
  });
}

/** Records an event that is named after its time. */
async function takeIn(tested: Store, organizationId: string, at: number): Promise<void> {
  await tested.transact(organizationId, (unit) => unit.subscriptions.recordEvent(`evt_${at}`, NOON + at));
}

/** Reports if the event would be rejected as a repetition. Asking does not record it. */
async function isKnown(tested: Store, organizationId: string, at: number): Promise<boolean> {
  let isNew = false;
  const asking = tested.transact(organizationId, async (unit) => {
    isNew = await unit.subscriptions.recordEvent(`evt_${at}`, NOON + at);
    throw new Error('only asked');
  });
  await expect(asking).rejects.toThrow('only asked');
  return !isNew;
}

function aSubscription(given: Partial<Subscription> = {}): Subscription {
  return {
    id: 'sub_1',
    status: 'active',
    priceIds: ['price_1', 'price_2'],
    anchorAt: 1_700_000_000_000_000,
    cancelAtPeriodEnd: false,
    changedAt: 1_700_000_000_000_000,
    changeRank: 1,
    ...given,
  };
}

function byId(one: Subscription, other: Subscription): number {
  return one.id < other.id ? -1 : 1;
}
