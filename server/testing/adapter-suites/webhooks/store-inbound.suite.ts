import { describe, expect, test } from 'vitest';
import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { Position } from '../../../domain/page.js';
import type { InboundUnit } from '../../../ports/inbound-store.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization } from '../../fixtures/memories.js';
import { anInboundDelivery, anInboundWebhook, NOON } from '../../inbound/records.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests inbound webhooks and their deliveries. */
export function inboundSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: inbound webhooks`, () => {
    test('returns a webhook as it was stored, to readers of any organization and to units of its own', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const bare = anInboundWebhook(own);
      const full = anInboundWebhook(own, { previousSecret: { sealed: 'old', until: NOON + 1 }, enabled: false });

      await write(tested, own, async (unit) => {
        await unit.insertWebhook(bare);
        await unit.insertWebhook(full);
      });

      expect(await tested.inbound.findWebhook(bare.id)).toEqual(bare);
      expect(await tested.inbound.findWebhook(full.id)).toEqual(full);
      expect(await write(tested, own, (unit) => unit.findWebhook(full.id))).toEqual(full);
      expect(await write(tested, other, (unit) => unit.findWebhook(full.id))).toBeUndefined();
      expect(await tested.inbound.findWebhook('no uuid')).toBeUndefined();
      expect(await write(tested, own, (unit) => unit.findWebhook('no uuid'))).toBeUndefined();
    });

    test('updates a webhook, and clears fields that are left out', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = anInboundWebhook(organizationId, { previousSecret: { sealed: 'old', until: NOON } });
      await write(tested, organizationId, (unit) => unit.insertWebhook(webhook));
      const { previousSecret: _, ...rest } = webhook;
      const changed: InboundWebhook = {
        ...rest,
        name: 'renamed',
        events: ['issues'],
        enabled: false,
        sealedSecret: 'new',
        updatedAt: NOON + 5,
      };

      await write(tested, organizationId, (unit) => unit.updateWebhook(changed));

      expect(await tested.inbound.findWebhook(webhook.id)).toEqual(changed);
    });

    test('adds refusals to a webhook, which updates keep, and does nothing for one of another organization', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const webhook = anInboundWebhook(own);
      const first = { count: 2, lastAt: NOON, lastReason: 'signature' } as const;
      const second = { count: 3, lastAt: NOON + 1, lastReason: 'body' } as const;
      await write(tested, own, (unit) => unit.insertWebhook(webhook));

      await write(tested, own, (unit) => unit.addRefusals(webhook.id, first));
      expect(await tested.inbound.findWebhook(webhook.id)).toEqual({ ...webhook, refusals: first });
      await write(tested, own, async (unit) => {
        await unit.addRefusals(webhook.id, second);
        const found = await unit.findWebhook(webhook.id);
        await unit.updateWebhook({ ...found!, name: 'renamed' });
      });
      await write(tested, other, (unit) => unit.addRefusals(webhook.id, first));
      await write(tested, own, (unit) => unit.addRefusals('no uuid', first));

      const refusals = { ...second, count: 5 };
      expect(await tested.inbound.listWebhooks(own, { limit: 9 })).toEqual([{ ...webhook, name: 'renamed', refusals }]);
    });

    test('lists and counts the webhooks of one organization in order of creation', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const webhooks = [1, 1, 2, 3].map((at) => anInboundWebhook(own, { createdAt: NOON + at }));
      await write(tested, own, async (unit) => {
        for (const webhook of webhooks.toReversed()) await unit.insertWebhook(webhook);
      });
      await write(tested, other, (unit) => unit.insertWebhook(anInboundWebhook(other)));

      const first = await tested.inbound.listWebhooks(own, { limit: 3 });
      const rest = await tested.inbound.listWebhooks(own, { limit: 3, after: place(first.at(-1)!) });

      expect([...first, ...rest]).toEqual(webhooks);
      expect(await write(tested, own, (unit) => unit.countWebhooks())).toBe(4);
    });

    test('deletes a webhook of its own organization with its deliveries, and none of another', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [webhook, kept] = [anInboundWebhook(own), anInboundWebhook(own)];
      const delivery = anInboundDelivery(webhook);
      await write(tested, own, async (unit) => {
        await unit.insertWebhook(webhook);
        await unit.insertWebhook(kept);
        await unit.insertDelivery(delivery);
      });

      await write(tested, other, (unit) => unit.deleteWebhook(webhook.id));
      expect(await tested.inbound.findWebhook(webhook.id)).toEqual(webhook);
      await write(tested, own, (unit) => unit.deleteWebhook(webhook.id));

      expect(await tested.inbound.findWebhook(webhook.id)).toBeUndefined();
      expect(await tested.inbound.findDelivery(own, delivery.key)).toBeUndefined();
      expect(await tested.inbound.findWebhook(kept.id)).toEqual(kept);
    });

    test('returns a delivery as stored and with its first outcome, only to its own organization', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const webhook = anInboundWebhook(own);
      const queued = anInboundDelivery(webhook, { sealedMemories: 'sealed' });
      await write(tested, own, async (unit) => {
        await unit.insertWebhook(webhook);
        await unit.insertDelivery(queued);
      });
      expect(await tested.inbound.findDelivery(own, queued.key)).toEqual(queued);
      const { sealedMemories: _, ...rest } = queued;
      const failed: InboundDelivery = {
        ...rest,
        state: 'failed',
        finishedAt: NOON + 9,
        reason: 'content_rejected',
        counts: { stored: 1, skipped: 2, rejected: 3, omitted: 4 },
      };

      const ended = [
        await tested.inbound.endDelivery({ ...failed, organizationId: other }),
        await tested.inbound.endDelivery(failed),
        await tested.inbound.endDelivery({ ...failed, state: 'processed' }),
        await tested.inbound.endDelivery({ ...failed, organizationId: 'no uuid' }),
      ];

      expect(ended).toEqual([false, true, false, false]);
      expect(await tested.inbound.findDelivery(own, queued.key)).toEqual(failed);
      expect(await tested.inbound.findDelivery(other, queued.key)).toBeUndefined();
      expect(await tested.inbound.findDelivery('no uuid', queued.key)).toBeUndefined();
    });

    test('finds an earlier delivery by the id that its sender gave it or by its body', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [webhook, other] = [anInboundWebhook(organizationId), anInboundWebhook(organizationId)];
      const first = anInboundDelivery(webhook, { deliveryId: 'one', bodyHash: 'a' });
      const second = anInboundDelivery(webhook, { deliveryId: 'two', bodyHash: 'b' });
      await write(tested, organizationId, async (unit) => {
        await unit.insertWebhook(webhook);
        await unit.insertWebhook(other);
        await unit.insertDelivery(first);
        await unit.insertDelivery(second);
        await unit.insertDelivery(anInboundDelivery(other, { deliveryId: 'one', bodyHash: 'a' }));
      });
      const find = async (deliveryId: string, bodyHash: string) => {
        const found = await write(tested, organizationId, (unit) =>
          unit.findRepeated(webhook.id, deliveryId, bodyHash),
        );
        return found.map(({ deliveryId: id }) => id).sort();
      };

      expect(await find('one', 'a')).toEqual(['one']);
      expect(await find('one', 'b')).toEqual(['one', 'two']);
      expect(await find('three', 'b')).toEqual(['two']);
      expect(await find('three', 'c')).toEqual([]);
    });

    test('rejects a second delivery with the same id or the same body', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = anInboundWebhook(organizationId);
      const first = anInboundDelivery(webhook, { deliveryId: 'one', bodyHash: 'a' });
      await write(tested, organizationId, async (unit) => {
        await unit.insertWebhook(webhook);
        await unit.insertDelivery(first);
      });
      const insert = (overrides: Partial<InboundDelivery>) =>
        write(tested, organizationId, (unit) => unit.insertDelivery(anInboundDelivery(webhook, overrides)));

      await expect(insert({ deliveryId: 'one' })).rejects.toThrow();
      await expect(insert({ bodyHash: 'a' })).rejects.toThrow();
      await write(tested, organizationId, (unit) => unit.deleteDelivery(first.key));
      await expect(insert({ deliveryId: 'one', bodyHash: 'a' })).resolves.toBeUndefined();
    });

    test('lists the deliveries of a webhook, latest first, without what is to be ingested', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = anInboundWebhook(organizationId);
      const deliveries = [3, 2, 2, 1].map((at) =>
        anInboundDelivery(webhook, { receivedAt: NOON + at, sealedMemories: 'sealed' }),
      );
      await write(tested, organizationId, async (unit) => {
        await unit.insertWebhook(webhook);
        for (const delivery of deliveries) await unit.insertDelivery(delivery);
      });
      const list = (after?: Position) =>
        tested.inbound.listDeliveries(organizationId, webhook.id, { limit: 2, ...(after && { after }) });

      const first = await list();
      const second = await list({ at: first.at(-1)!.receivedAt, id: first.at(-1)!.key });

      const expected = deliveries
        .toSorted((a, b) => b.receivedAt - a.receivedAt || (a.key < b.key ? 1 : -1))
        .map(({ sealedMemories: _, ...rest }) => rest);
      expect([...first, ...second]).toEqual(expected);
      expect(await tested.inbound.listDeliveries(await anOrganization(tested), webhook.id, { limit: 9 })).toEqual([]);
    });

    test('lists the deliveries in one state, and continues without a gap', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = anInboundWebhook(organizationId);
      const states = ['failed', 'queued', 'failed', 'ignored', 'failed', 'processed'] as const;
      const deliveries = states.map((state, at) =>
        anInboundDelivery(webhook, { state, receivedAt: NOON + Math.floor(at / 3), reason: 'quota_exceeded' }),
      );
      await write(tested, organizationId, async (unit) => {
        await unit.insertWebhook(webhook);
        for (const delivery of deliveries) await unit.insertDelivery(delivery);
      });
      const list = (state: InboundDelivery['state'], after?: Position) =>
        tested.inbound.listDeliveries(organizationId, webhook.id, { state, limit: 2, ...(after && { after }) });

      const first = await list('failed');
      const second = await list('failed', { at: first.at(-1)!.receivedAt, id: first.at(-1)!.key });

      const failed = deliveries.filter(({ state }) => state === 'failed');
      const expected = failed.toSorted((a, b) => b.receivedAt - a.receivedAt || (a.key < b.key ? 1 : -1));
      expect([...first, ...second]).toEqual(expected);
      expect(await list('queued')).toEqual([deliveries[1]]);
    });

    test('reports when many deliveries are queued, and deletes old ones that are not', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhook = anInboundWebhook(organizationId);
      const [queued, oldest, old, fresh] = [
        anInboundDelivery(webhook, { receivedAt: NOON }),
        anInboundDelivery(webhook, { receivedAt: NOON + 1, state: 'processed' }),
        anInboundDelivery(webhook, { receivedAt: NOON + 2, state: 'failed' }),
        anInboundDelivery(webhook, { receivedAt: NOON + 3, state: 'ignored' }),
      ];
      const known = async () =>
        (await tested.inbound.listDeliveries(organizationId, webhook.id, { limit: 9 })).map(({ key }) => key);
      await write(tested, organizationId, async (unit) => {
        await unit.insertWebhook(webhook);
        for (const delivery of [queued!, oldest!, old!, fresh!]) await unit.insertDelivery(delivery);
        expect(await unit.hasQueued(webhook.id, 1)).toBe(true);
        expect(await unit.hasQueued(webhook.id, 2)).toBe(false);
      });

      await write(tested, organizationId, (unit) => unit.deleteDeliveries(webhook.id, NOON + 3, 1));
      expect(await known()).toEqual([fresh!.key, old!.key, queued!.key]);
      await write(tested, organizationId, (unit) => unit.deleteDeliveries(webhook.id, NOON + 3, 9));
      expect(await known()).toEqual([fresh!.key, queued!.key]);
    });

    test.runIf(reopen)('keeps webhooks and deliveries across a restart', async () => {
      const first = await openEmpty();
      const organizationId = await anOrganization(first);
      const webhook = anInboundWebhook(organizationId);
      const delivery = anInboundDelivery(webhook, { sealedMemories: 'sealed' });
      await write(first, organizationId, async (unit) => {
        await unit.insertWebhook(webhook);
        await unit.insertDelivery(delivery);
      });

      const tested = await reopen!(first);

      expect(await tested.inbound.findWebhook(webhook.id)).toEqual(webhook);
      expect(await tested.inbound.findDelivery(organizationId, delivery.key)).toEqual(delivery);
    });
  });
}

function place({ createdAt, id }: InboundWebhook): Position {
  return { at: createdAt, id };
}

function write<T>(store: Store, organizationId: string, work: (unit: InboundUnit) => Promise<T>): Promise<T> {
  return store.transact(organizationId, (unit) => work(unit.inbound));
}
