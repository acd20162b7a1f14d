import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { DeliveryAttempt, ListedDelivery, OutboundDelivery } from '../../domain/outbound/delivery.js';
import {
  type Disabling,
  type OutboundEndpoint,
  type OutboundWebhook,
  outboundState,
} from '../../domain/outbound/webhook.js';
import type { Store } from '../../ports/store.js';
import { anOrganization } from '../fixtures/memories.js';
import type { StoreOpening } from './store.suite.js';

const NOON = 1_700_000_000_000_000;

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

function aWebhook(overrides: Partial<OutboundEndpoint> = {}, disabled?: Disabling): OutboundWebhook {
  return {
    id: v7(),
    url: 'https://example.com/hook',
    events: ['memory.ingested'],
    description: '',
    sealedSecret: 'v1.a',
    ...outboundState(disabled),
    createdAt: NOON,
    updatedAt: NOON,
    ...overrides,
  };
}

function aDelivery(webhookId: string, overrides: Partial<OutboundDelivery> = {}): OutboundDelivery {
  return {
    id: v7(),
    webhookId,
    event: 'memory.ingested',
    memoryId: v7(),
    body: '{"event":"memory.ingested"}',
    status: 'pending',
    attempts: 0,
    createdAt: NOON,
    attemptLog: [],
    ...overrides,
  };
}

/** Returns the state of a delivery with one attempt. */
function attempted(attempt: DeliveryAttempt): Pick<OutboundDelivery, 'lastAttempt' | 'attemptLog'> {
  const { durationMs: _, answer: __, ...lastAttempt } = attempt;
  return { lastAttempt, attemptLog: [attempt] };
}

function listed({ body: _, attemptLog: __, ...delivery }: OutboundDelivery): ListedDelivery {
  return delivery;
}

function keep(tested: Store, organizationId: string, ...webhooks: readonly OutboundWebhook[]): Promise<void> {
  return tested.transact(organizationId, async (unit) => {
    for (const webhook of webhooks) await unit.outbound.insertWebhook(webhook);
  });
}

function send(tested: Store, organizationId: string, ...deliveries: readonly OutboundDelivery[]): Promise<void> {
  return tested.transact(organizationId, async (unit) => {
    for (const { body, attemptLog: _, ...delivery } of deliveries)
      await unit.outbound.insertDeliveries(body, [delivery]);
  });
}
