import { v7 } from 'uuid';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { Position } from '../../../domain/page.js';
import { createLogger } from '../../../logger.js';
import type { JobHandlers } from '../../../ports/job-queue.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import {
  anOrganization,
  change,
  DIMENSIONS,
  indexedBy,
  insertInto,
  NORTH,
  store,
} from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { AgendaJobQueue } from '../../agenda/job-queue.js';
import { type MongoStore, openMongoStore } from '../store.js';

const PERIOD = '2026-03';
/** Time that exceeds any mutual wait in these tests. */
const DEADLINE_MS = 60_000;
const ACTIVE = { filter: NO_FILTER, includeDeleted: false };
const WEBHOOK = {
  id: v7(),
  url: 'https://example.com/hook',
  events: ['memory.updated'],
  description: '',
  enabled: true,
  sealedSecret: 'sealed',
  createdAt: 1,
  updatedAt: 1,
} as const;
const databases = new MongoDatabases(DIMENSIONS);

/** Tests with one connection and queue per store, as in separate processes. */
describe('three stores on one database', () => {
  test.each([
    ['with what they declared to expect', true],
    ['with nothing declared', false],
  ])('run the units of an organization one at a time, %s', async (_, declares) => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);
    const [counter] = await store(stores[0]!, organizationId, { metadata: { count: 0 } });
    const increment = (tested: MongoStore) =>
      tested.transact(organizationId, async (unit) => {
        if (declares) await unit.expect!({ ids: [counter!.id] });
        const current = await unit.findById(counter!.id);
        const count = Number(current!.metadata.count) + 1;
        await unit.update({ ...current!, updatedAt: await unit.tick(), metadata: { count } });
      });

    await Promise.all(fromEach(stores, 8, increment));

    expect(await stores[1]!.memories.findById(organizationId, counter!.id)).toMatchObject({ metadata: { count: 24 } });
  });

  test('see what another one wrote between the reads and the writes of a unit', async () => {
    const [one, other] = await openThree();
    const organizationId = await anOrganization(one!);
    const [memory] = await store(one!, organizationId, { metadata: { one: 1 } });

    const seen: unknown[] = [];
    await one!.transact(organizationId, async (unit) => {
      await unit.expect!({ ids: [memory!.id], period: PERIOD });
      if (seen.length === 0) {
        await other!.transact(organizationId, async (others) => {
          const current = await others.findById(memory!.id);
          await others.update({ ...current!, updatedAt: await others.tick(), metadata: { other: 1 } });
          await others.outbound.insertWebhook(WEBHOOK);
          await others.countIngest(PERIOD, 1);
        });
      }
      const current = await unit.findById(memory!.id);
      const webhooks = await unit.outbound.webhooks();
      seen.push([current!.metadata, webhooks.length, await unit.ingested(PERIOD)]);
      const metadata = { ...current!.metadata, one: 2 };
      await unit.update({ ...current!, updatedAt: await unit.tick(), metadata });
    });

    expect(seen).toEqual([
      [{ one: 1 }, 0, 0],
      [{ other: 1 }, 1, 1],
    ]);
    const stored = await one!.memories.findById(organizationId, memory!.id);
    expect(stored!.metadata).toEqual({ other: 1, one: 2 });
  });

  test('accept one of many equal writes', async () => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);

    const writing = fromEach(stores, 6, (tested) => store(tested, organizationId, { content: 'same' }));
    const outcomes = await Promise.allSettled(writing);

    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(17);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(DuplicateMemoryError);
  });

  test('show every change of all writers to a reader of the change feed', async () => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);
    const [seen, written] = [new Map<string, number>(), new Map<string, number>()];
    let after: Position | undefined;
    const poll = async () => {
      const query = { ...ACTIVE, order: 'changed', limit: 5, ...(after && { after }) } as const;
      const page = await stores[2]!.memories.list(organizationId, query);
      for (const { id, updatedAt } of page) seen.set(id, updatedAt);
      const last = page.at(-1);
      if (last) after = { at: last.updatedAt, id: last.id };
      return page.length;
    };
    const write = async (tested: MongoStore) => {
      for (let round = 0; round < 6; round += 1) {
        const [memory] = await store(tested, organizationId, {});
        const { updatedAt } = round % 2 ? memory! : await change(tested, memory!, { metadata: { round } });
        written.set(memory!.id, updatedAt);
      }
    };

    let isWriting = true;
    const writing = Promise.all(fromEach(stores, 2, write)).finally(() => {
      isWriting = false;
    });
    while (isWriting) {
      await poll();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    while ((await poll()) > 0);

    expect(seen).toEqual(written);
  });

  test('all find what one of them has just stored', async () => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);
    const [memory] = await store(stores[0]!, organizationId, {});

    const [found, similarity] = await stores[1]!.transact(organizationId, async (unit) => [
      await unit.findActiveByWords({}, indexedBy(memory!).wordsHash, 9),
      await unit.similarityOf(memory!.id, NORTH),
    ]);

    expect(found).toEqual([memory]);
    expect(similarity).toBeCloseTo(1, 6);
  });

  test('share the counts of ingests and searches under a cap', async () => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);

    const ingests = await Promise.all(
      fromEach(stores, 6, (tested) => tested.transact(organizationId, (unit) => unit.countIngest(PERIOD, 1, 7))),
    );
    const searches = await Promise.all(
      fromEach(stores, 30, (tested) => tested.usage.takeSearch(organizationId, PERIOD, 40)),
    );

    expect(ingests.filter((each) => each)).toHaveLength(7);
    expect(searches.filter((each) => each)).toHaveLength(40);
    expect(await stores[1]!.usage.read(organizationId, PERIOD)).toEqual({ ingest: 7, search: 40 });
  });

  test('share one rate limit per class and credential', async () => {
    const stores = await openThree();
    const limiters = stores.map((tested) =>
      tested.rateLimiter({ ingest: 20, search: 5, admin: 5, tools: 5, signIn: 5, signInAddress: 5, signInAccount: 5 }),
    );
    const [organizationId, credentialId] = [v7(), v7()];

    const states = await Promise.all(
      limiters.flatMap((limiter) =>
        Array.from({ length: 15 }, () => limiter.consume('ingest', organizationId, credentialId)),
      ),
    );
    const others = await Promise.all([
      limiters[0]!.consume('search', organizationId, credentialId),
      limiters[1]!.consume('ingest', organizationId, v7()),
      limiters[2]!.consume('ingest', v7(), credentialId),
    ]);

    expect(states.filter(({ allowed }) => allowed)).toHaveLength(20);
    expect(Math.min(...states.map(({ remaining }) => remaining))).toBe(0);
    for (const { limit, resetMs } of states) {
      expect(limit).toBe(20);
      expect(resetMs).toBeGreaterThan(0);
      expect(resetMs).toBeLessThanOrEqual(60_000);
    }
    expect(others.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 4],
      [true, 19],
      [true, 19],
    ]);
  });

  test('share one rate limit for all credentials of a person', async () => {
    const stores = await openThree();
    const limiters = stores.map((tested) =>
      tested.rateLimiter({ ingest: 10, search: 5, admin: 5, tools: 5, signIn: 5, signInAddress: 5, signInAccount: 5 }),
    );
    const [organizationId, userId] = [v7(), v7()];
    const credentials = [v7(), v7(), v7(), v7()];

    const states = await Promise.all(
      credentials.flatMap((credentialId) =>
        limiters.flatMap((limiter) =>
          Array.from({ length: 4 }, () => limiter.consume('ingest', organizationId, credentialId, userId)),
        ),
      ),
    );

    expect(states.filter(({ allowed }) => allowed)).toHaveLength(20);
  });

  test('run every job once', async () => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);
    const ids = Array.from({ length: 30 }, (_, index) => `delivery ${index}`);
    const ran: string[] = [];
    let allRan = () => {};
    const done = new Promise<void>((resolve) => {
      allRan = resolve;
    });
    const handlers: JobHandlers = {
      'deliver-outbound': {
        concurrency: 2,
        faultRetryDelaysMs: [],
        async run({ deliveryId }) {
          ran.push(deliveryId);
          if (ran.length === ids.length) allRan();
          return undefined;
        },
      },
    };
    await stores[0]!.transact(organizationId, async (unit) => {
      for (const deliveryId of ids)
        await unit.enqueue({ name: 'deliver-outbound', data: { organizationId, deliveryId } });
    });

    const queues = stores.map((tested) => new AgendaJobQueue(tested.jobs, createLogger('silent')));
    await Promise.all(queues.map((queue) => queue.start(handlers)));
    await done;
    for (const queue of queues) await queue[Symbol.asyncDispose]();

    expect(ran.sort()).toEqual(ids.sort());
    expect(await stores[0]!.jobs.backlog()).toEqual([]);
  });

  test('continue when one of them disconnects during a unit', async () => {
    const stores = await openThree();
    const organizationId = await anOrganization(stores[0]!);
    let vanish = () => {};
    const vanished = new Promise<void>((resolve) => {
      vanish = resolve;
    });

    const failing = stores[0]!.transact(organizationId, async (unit) => {
      await insertInto(unit, { content: 'never there' });
      vanish();
      await stores[0]![Symbol.asyncDispose]();
      await unit.findById(v7());
    });
    await vanished;
    await expect(failing).rejects.toThrow();
    await store(stores[1]!, organizationId, { content: 'there' });

    const listed = await stores[2]!.memories.list(organizationId, { ...ACTIVE, order: 'oldest', limit: 9 });
    expect(listed.map(({ content }) => content)).toEqual(['there']);
  });
});

async function openThree(): Promise<MongoStore[]> {
  const uri = await databases.acquire();
  const stores: MongoStore[] = [];
  for (let n = 0; n < 3; n += 1) {
    const opened = await openMongoStore({
      uri,
      dimensions: DIMENSIONS,
      deadlineMs: DEADLINE_MS,
      now: () => Date.now() * 1_000,
    });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    stores.push(opened);
  }
  return stores;
}

/** Makes calls with each store, all at once. */
function fromEach<T>(
  stores: readonly MongoStore[],
  times: number,
  call: (store: MongoStore) => Promise<T>,
): Promise<T>[] {
  return Array.from({ length: times }, () => stores.map(call)).flat();
}
