import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { ListedDelivery, OutboundDelivery } from '../../../domain/outbound/delivery.js';
import { anOrganization } from '../../fixtures/memories.js';
import { aDelivery, attempted, aWebhook, keep, listed, NOON, send } from '../../fixtures/outbound-records.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests the deliveries of outbound webhooks. */
export function outboundDeliveriesSuite(name: string, { openEmpty }: Pick<StoreOpening, 'openEmpty'>): void {
  describe(`${name}: outbound deliveries`, () => {
    test('returns a delivery as it was stored, and its state as it was replaced', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const delivery = aDelivery(v7(), { body: '{"é":"\\u0000😀"}' });
      await send(tested, organizationId, delivery);
      const states: OutboundDelivery[] = [
        { ...delivery, attempts: 1, nextAttemptAt: NOON + 9, ...attempted({ at: NOON + 1, status: 503 }) },
        { ...delivery, status: 'failed', attempts: 4, ...attempted({ at: NOON + 2, failure: 'tls' }) },
        { ...delivery, status: 'pending', attempts: 0, lastAttempt: { at: NOON + 2, failure: 'tls' } },
        {
          ...delivery,
          status: 'delivered',
          attempts: 1,
          lastAttempt: { at: NOON + 3, status: 204 },
          attemptLog: [
            { at: NOON + 2, failure: 'disabled' },
            { at: NOON + 3, status: 204, durationMs: 0.125, answer: '{"é":\n"😀"}' },
          ],
        },
      ];

      expect(await tested.outbound.findDelivery(organizationId, delivery.id)).toEqual(delivery);
      for (const state of states) {
        await tested.transact(organizationId, (unit) => unit.outbound.updateDelivery(state));
        expect(await tested.outbound.findDelivery(organizationId, delivery.id)).toEqual(state);
        expect(await tested.transact(organizationId, (unit) => unit.outbound.findDelivery(delivery.id))).toEqual(state);
      }
    });

    test('stores the result of an attempt once, on the state with which it began', async () => {
      const tested = await openEmpty();
      const [organizationId, foreign] = [await anOrganization(tested), await anOrganization(tested)];
      const delivery = aDelivery(v7());
      await send(tested, organizationId, delivery);
      const retried: OutboundDelivery = {
        ...delivery,
        attempts: 1,
        nextAttemptAt: NOON + 9,
        ...attempted({ at: NOON + 1, status: 503, answer: 'later' }),
      };
      const { nextAttemptAt: _, ...before } = retried;
      const ended: OutboundDelivery = {
        ...before,
        status: 'delivered',
        attempts: 2,
        ...attempted({ at: 5, status: 200 }),
      };
      const store = (org: string, from: OutboundDelivery, to: OutboundDelivery) =>
        tested.outbound.storeAttempt(org, from, to);
      const find = () => tested.outbound.findDelivery(organizationId, delivery.id);

      const refused = [await store(foreign, delivery, retried), await store(v7(), delivery, retried)];
      const first = await Promise.all([1, 2, 3, 4].map(() => store(organizationId, delivery, retried)));
      const between = await find();
      const outdated = [
        await store(organizationId, delivery, ended),
        await store(organizationId, { ...retried, lastAttempt: { at: NOON + 2 } }, ended),
      ];
      const second = [await store(organizationId, retried, ended), await store(organizationId, ended, retried)];

      expect({ refused, outdated, second }).toEqual({
        refused: [false, false],
        outdated: [false, false],
        second: [true, false],
      });
      expect(first.filter((isStored) => isStored)).toHaveLength(1);
      expect(between).toEqual(retried);
      expect(await find()).toEqual(ended);
    });

    test('stores no attempt of a delivery that was deleted meanwhile', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const memoryId = v7();
      const delivery = aDelivery(v7(), { memoryId });
      await send(tested, organizationId, delivery);
      await tested.transact(organizationId, (unit) => unit.outbound.deleteDeliveriesOf(memoryId));

      const isStored = await tested.outbound.storeAttempt(organizationId, delivery, { ...delivery, attempts: 1 });

      expect(isStored).toBe(false);
      expect(await tested.outbound.findDelivery(organizationId, delivery.id)).toBeUndefined();
    });

    test('knows when the oldest delivery that has ended was created', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const before = await tested.outbound.oldestEnded(organizationId);
      const states = ['pending', 'failed', 'delivered'] as const;
      await send(
        tested,
        organizationId,
        ...states.map((status, at) => aDelivery(v7(), { createdAt: NOON + at, status })),
      );

      expect(before).toBeUndefined();
      expect(await tested.outbound.oldestEnded(organizationId)).toBe(NOON + 1);
      expect(await tested.outbound.oldestEnded(v7())).toBeUndefined();
    });

    test('returns a delivery without a memory as it was stored', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const { memoryId: _, ...delivery } = aDelivery(v7(), { event: 'webhook.test' });

      await send(tested, organizationId, delivery);

      const query = { webhookId: delivery.webhookId, limit: 9 };
      expect(await tested.outbound.findDelivery(organizationId, delivery.id)).toEqual(delivery);
      expect(await tested.outbound.listDeliveries(organizationId, query)).toEqual([listed(delivery)]);
    });

    test('lists the deliveries of a webhook, newest first, by state, and continues without a gap', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhookId = v7();
      const made = Array.from({ length: 11 }, (_, at) =>
        aDelivery(webhookId, { createdAt: NOON + Math.floor(at / 3), status: at % 2 === 0 ? 'delivered' : 'pending' }),
      );
      await send(tested, organizationId, ...made, aDelivery(v7()));

      for (const status of [undefined, 'delivered', 'pending', 'failed'] as const) {
        const read: ListedDelivery[] = [];
        for (;;) {
          const last = read.at(-1);
          const after = last && { after: { at: last.createdAt, id: last.id } };
          const page = await tested.outbound.listDeliveries(organizationId, { webhookId, status, limit: 2, ...after });
          read.push(...page);
          if (page.length < 2) break;
        }
        const expected = made
          .filter((delivery) => status === undefined || delivery.status === status)
          .sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1))
          .map(listed);
        expect(read).toEqual(expected);
      }
    });

    test('lists only the deliveries since a time', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhookId = v7();
      const [, second, third] = [0, 1, 2].map((at) => aDelivery(webhookId, { createdAt: NOON + at }));
      await send(tested, organizationId, aDelivery(webhookId), second!, third!);
      const query = { webhookId, since: NOON + 1, limit: 9 };

      const all = await tested.outbound.listDeliveries(organizationId, query);
      const pending = await tested.outbound.listDeliveries(organizationId, { ...query, status: 'pending' });
      const after = { at: third!.createdAt, id: third!.id };
      const rest = await tested.outbound.listDeliveries(organizationId, { ...query, after });

      expect(all.map(({ id }) => id)).toEqual([third!.id, second!.id]);
      expect(pending).toEqual(all);
      expect(rest.map(({ id }) => id)).toEqual([second!.id]);
    });

    test('restarts failed deliveries since a time, the oldest first, up to a limit and each once', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhookId = v7();
      const failed = (given: Partial<OutboundDelivery>, webhook = webhookId) =>
        aDelivery(webhook, { status: 'failed', attempts: 4, ...given });
      const [a, b, c] = [0, 1, 2].map((at) => failed({ createdAt: NOON + at }));
      const others = [
        failed({ createdAt: NOON - 1 }),
        failed({}, v7()),
        failed({ event: 'webhook.test' }),
        aDelivery(webhookId, { status: 'delivered', attempts: 1 }),
        aDelivery(webhookId, { attempts: 2 }),
      ];
      const states = [c!, a!, b!, ...others];
      await send(tested, organizationId, ...states);
      const answered = { ...a!, ...attempted({ at: NOON + 1, status: 500, answer: 'no' }) };
      await tested.transact(organizationId, (unit) => unit.outbound.updateDelivery(answered));
      const restart = () =>
        tested.transact(organizationId, (unit) => unit.outbound.restartFailed({ webhookId, since: NOON, limit: 2 }));

      expect(await restart()).toEqual({ ids: [a!.id, b!.id], isMore: true });
      expect(await restart()).toEqual({ ids: [c!.id], isMore: false });
      expect(await restart()).toEqual({ ids: [], isMore: false });

      const find = (id: string) => tested.outbound.findDelivery(organizationId, id);
      expect(await find(a!.id)).toEqual({ ...answered, status: 'pending', attempts: 0 });
      expect(await find(c!.id)).toEqual({ ...c!, status: 'pending', attempts: 0 });
      for (const other of others) expect(await find(other.id)).toEqual(other);
    });

    test('deletes a limited number of old deliveries that are done, and no pending one', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const webhookId = v7();
      const old = ['delivered', 'failed', 'delivered', 'pending'] as const;
      const made = old.map((status) => aDelivery(webhookId, { createdAt: NOON, status }));
      const young = aDelivery(webhookId, { createdAt: NOON + 1, status: 'delivered' });
      await send(tested, organizationId, ...made, young);
      const forget = (limit: number) =>
        tested.transact(organizationId, (unit) => unit.outbound.deleteDeliveries(NOON + 1, limit));

      await forget(2);
      const afterTwo = await tested.outbound.listDeliveries(organizationId, { webhookId, limit: 9 });
      await forget(9);
      const afterAll = await tested.outbound.listDeliveries(organizationId, { webhookId, limit: 9 });

      expect(afterTwo).toHaveLength(3);
      expect(afterAll.map(({ id }) => id)).toEqual([young.id, made[3]!.id]);
    });

    test('returns with each delivery of an event their shared body, until the last of them is deleted', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [one, other] = [aWebhook(), aWebhook()];
      await keep(tested, organizationId, one, other);
      const [first, second] = [one, other].map(({ id }) => aDelivery(id));
      const body = first!.body;
      const find = (id: string) => tested.outbound.findDelivery(organizationId, id);

      await tested.transact(organizationId, async (unit) => {
        await unit.outbound.insertDeliveries(body, [listed(first!), listed(second!)]);
        expect(await unit.outbound.findDelivery(first!.id)).toEqual(first);
      });
      const both = await Promise.all([find(first!.id), find(second!.id)]);
      await tested.transact(organizationId, (unit) => unit.outbound.deleteWebhook(one.id));

      expect(both).toEqual([first, second]);
      expect(await find(first!.id)).toBeUndefined();
      expect(await find(second!.id)).toEqual(second);
    });

    test('deletes the deliveries of a memory, and returns those that were pending', async () => {
      const tested = await openEmpty();
      const [organizationId, foreign] = [await anOrganization(tested), await anOrganization(tested)];
      const memoryId = v7();
      const answered = attempted({ at: NOON, status: 200, durationMs: 1, answer: 'ok' });
      const [pending, done, kept] = [{ memoryId }, { memoryId, status: 'delivered' as const }, {}].map((given) =>
        aDelivery('webhook', given),
      );
      await send(tested, organizationId, pending!, done!, kept!);
      const tried = { ...pending!, ...answered };
      await tested.transact(organizationId, (unit) => unit.outbound.updateDelivery(tried));
      const remove = (from: string) => tested.transact(from, (unit) => unit.outbound.deleteDeliveriesOf(memoryId));

      expect(await remove(foreign)).toEqual([]);
      expect(await remove(organizationId)).toEqual([tried]);

      const left = await tested.outbound.listDeliveries(organizationId, { webhookId: 'webhook', limit: 9 });
      expect(left).toEqual([listed(kept!)]);
    });
  });
}
