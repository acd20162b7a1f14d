import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { anOrganization } from '../../fixtures/memories.js';
import { aDelivery, aWebhook, keep, NOON, send } from '../../fixtures/outbound-records.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests outbound webhooks and their deliveries. */
export function outboundSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: outbound webhooks`, () => {
    test('returns a webhook as it was stored, inside and outside a unit', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const bare = aWebhook();
      const full = aWebhook(
        {
          events: ['memory.deleted', 'memory.ingested'],
          description: 'keeps the wiki in step',
          previousSecret: { sealed: 'v1.b', until: NOON + 1 },
          createdAt: NOON + 1,
        },
        { at: NOON + 2, reason: 'gone' },
      );

      await keep(tested, organizationId, bare, full);

      expect(await tested.outbound.findWebhook(organizationId, bare.id)).toEqual(bare);
      expect(await tested.outbound.findWebhook(organizationId, full.id)).toEqual(full);
      expect(await tested.transact(organizationId, (unit) => unit.outbound.webhooks())).toEqual([bare, full]);
    });

    test('replaces a webhook and removes fields that are left out', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const before = aWebhook({ previousSecret: { sealed: 'v1.b', until: NOON } }, { at: NOON, reason: 'owner' });
      const after = { ...aWebhook(), id: before.id, url: 'https://example.org/', updatedAt: NOON + 5 };
      await keep(tested, organizationId, before);

      await tested.transact(organizationId, (unit) => unit.outbound.updateWebhook(after));

      expect(await tested.outbound.findWebhook(organizationId, before.id)).toEqual(after);
    });

    test('refuses to replace an unknown webhook', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const webhook = tested.transact(organizationId, (unit) => unit.outbound.updateWebhook(aWebhook()));
      const delivery = tested.transact(organizationId, (unit) => unit.outbound.updateDelivery(aDelivery(v7())));

      await expect(webhook).rejects.toThrow();
      await expect(delivery).rejects.toThrow();
    });

    test('lists in order of creation, those of one moment by id, and continues after a position', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b] = [aWebhook(), aWebhook()].sort((one, other) => (one.id < other.id ? -1 : 1));
      const c = aWebhook({ createdAt: NOON - 1 });
      await keep(tested, organizationId, b!, a!, c);

      const all = await tested.outbound.listWebhooks(organizationId, { limit: 9 });
      const rest = await tested.outbound.listWebhooks(organizationId, { limit: 9, after: { at: NOON, id: a!.id } });

      expect(all).toEqual([c, a, b]);
      expect(rest).toEqual([b]);
      expect(await tested.outbound.listWebhooks(organizationId, { limit: 1 })).toEqual([c]);
    });

    test('deletes a webhook with its deliveries, pending ones included, and nothing else', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [removed, kept] = [aWebhook(), aWebhook()];
      await keep(tested, organizationId, removed, kept);
      const [lost, stays] = [aDelivery(removed.id), aDelivery(kept.id)];
      await send(tested, organizationId, lost, stays);

      await tested.transact(organizationId, (unit) => unit.outbound.deleteWebhook(removed.id));

      expect(await tested.outbound.findWebhook(organizationId, removed.id)).toBeUndefined();
      expect(await tested.outbound.findDelivery(organizationId, lost.id)).toBeUndefined();
      expect(await tested.outbound.findWebhook(organizationId, kept.id)).toEqual(kept);
      expect(await tested.outbound.findDelivery(organizationId, stays.id)).toEqual(stays);
    });

    test('finds nothing of another organization, and nothing by a malformed id', async () => {
      const tested = await openEmpty();
      const [mine, other] = [await anOrganization(tested), await anOrganization(tested)];
      const webhook = aWebhook();
      const delivery = aDelivery(webhook.id, { status: 'delivered' });
      await keep(tested, mine, webhook);
      await send(tested, mine, delivery);

      await tested.transact(other, async (unit) => {
        await unit.outbound.deleteWebhook(webhook.id);
        await unit.outbound.deleteDeliveries(NOON + 9, 9);
        expect(await unit.outbound.findDelivery(delivery.id)).toBeUndefined();
        expect(await unit.outbound.webhooks()).toEqual([]);
      });

      expect(await tested.outbound.findWebhook(other, webhook.id)).toBeUndefined();
      expect(await tested.outbound.findDelivery(other, delivery.id)).toBeUndefined();
      expect(await tested.outbound.listWebhooks(other, { limit: 9 })).toEqual([]);
      expect(await tested.outbound.listDeliveries(other, { webhookId: webhook.id, limit: 9 })).toEqual([]);
      expect(await tested.outbound.findWebhook(mine, 'no id')).toBeUndefined();
      expect(await tested.outbound.findDelivery(mine, 'no id')).toBeUndefined();
      expect(await tested.outbound.findWebhook(mine, webhook.id)).toEqual(webhook);
      expect(await tested.outbound.findDelivery(mine, delivery.id)).toEqual(delivery);
    });

    test('keeps nothing of a unit that failed', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = aWebhook();

      const failing = tested.transact(organizationId, async (unit) => {
        await unit.outbound.insertWebhook(webhook);
        const { body, attemptLog: _, ...delivery } = aDelivery(webhook.id);
        await unit.outbound.insertDeliveries(body, [delivery]);
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await tested.outbound.listWebhooks(organizationId, { limit: 9 })).toEqual([]);
      expect(await tested.outbound.listDeliveries(organizationId, { webhookId: webhook.id, limit: 9 })).toEqual([]);
    });

    test.runIf(reopen !== undefined)('keeps everything across a restart', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = aWebhook();
      const delivery = aDelivery(webhook.id);
      await keep(tested, organizationId, webhook);
      await send(tested, organizationId, delivery);

      const opened = await reopen!(tested);

      expect(await opened.outbound.findWebhook(organizationId, webhook.id)).toEqual(webhook);
      expect(await opened.outbound.findDelivery(organizationId, delivery.id)).toEqual(delivery);
    });
  });
}
