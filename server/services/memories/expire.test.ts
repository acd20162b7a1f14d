import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { anotherCaller, type TestWorld, testWorld } from '../../testing/app/test-deps.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { createOutboundWebhook } from '../outbound/outbound-webhooks.js';
import { countMemories, exportPage, getMemory, listChanges, listRecent } from '../reading/reads.js';
import { search } from '../reading/search.js';
import { deleteMemory } from '../removal/delete.js';
import { deleteMany } from '../removal/delete-many.js';
import { restoreMemory } from '../removal/restore.js';
import { tendAll } from '../upkeep/tend.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { updateMemory } from '../writing/update.js';
import { upsert } from '../writing/upsert.js';

const HOUR_US = 3_600_000_000;
const ACTIVE = { filter: NO_FILTER, includeDeleted: false };

interface ClockedWorld extends TestWorld {
  clock: { now: number };
  /** Returns the time `hours` hours from now. */
  at(hours: number): string;
}

async function clockedWorld(): Promise<ClockedWorld> {
  const clock = { now: 1_772_442_000_000_000 };
  const world = await testWorld({ now: () => clock.now });
  return { ...world, clock, at: (hours) => formatTimestamp(clock.now + hours * HOUR_US) };
}

type Read = (world: TestWorld, id: string) => Promise<unknown>;

/** Every read, as a function that returns what it has of one memory. */
const READS: readonly (readonly [string, Read])[] = [
  ['get', ({ deps, caller }, id) => getMemory(deps, caller, id, false).catch(() => undefined)],
  [
    'recent',
    async ({ deps, caller }, id) => (await listRecent(deps, caller, ACTIVE, 9)).find((each) => each.id === id),
  ],
  [
    'export',
    async ({ deps, caller }, id) =>
      (await exportPage(deps, caller, ACTIVE, { limit: 9 })).items.find((each) => each.id === id),
  ],
  [
    'changes',
    async ({ deps, caller }, id) =>
      (await listChanges(deps, caller, ACTIVE, { since: 0, limit: 9 })).items.find((each) => each.id === id),
  ],
  ['stats', async ({ deps, caller }) => (await countMemories(deps, caller, NO_FILTER, false)).total || undefined],
  ...(['vector', 'keyword', 'hybrid'] as const).map(
    (mode) =>
      [
        `search by ${mode}`,
        async ({ deps, caller }: TestWorld, id: string) => {
          const found = await search(deps, caller, { ...PLAIN_SEARCH, query: 'soon gone', limit: 9, mode });
          return found.matches.find(({ memory }) => memory.id === id);
        },
      ] as const,
  ),
];

describe('a memory that expires', () => {
  test.each(READS)('is in %s until it expires, and not afterwards', async (_, read) => {
    const world = await clockedWorld();
    const { memory } = await ingest(world.deps, world.caller, { content: 'soon gone', expiresAt: world.at(1) });

    world.clock.now += HOUR_US - 1;
    expect(await read(world, memory.id)).toBeDefined();
    world.clock.now += 1;
    expect(await read(world, memory.id)).toBeUndefined();
  });

  test('is deleted by the service in the feed, the audit log and the outbound events', async () => {
    const { deps, caller, clock, at } = await clockedWorld();
    const { webhook } = await createOutboundWebhook(deps, caller, {
      url: 'https://example.com/hook',
      events: ['memory.deleted'],
    });
    const { memory } = await ingest(deps, caller, { content: 'x', expiresAt: at(1) });
    clock.now += 2 * HOUR_US;

    await tendAll(deps);

    const { items } = await listChanges(deps, caller, { ...ACTIVE, includeDeleted: true }, { since: 0, limit: 9 });
    expect(items).toMatchObject([{ id: memory.id, deletedAt: expect.any(Number), expiresAt: memory.expiresAt }]);
    const [event] = await deps.store.audit.list(caller.organizationId, { limit: 1 });
    expect(event).toMatchObject({ action: 'memory.expire', actor: { type: 'system', id: 'expiry' } });
    const told = await deps.store.outbound.listDeliveries(caller.organizationId, { webhookId: webhook.id, limit: 9 });
    expect(told).toMatchObject([{ event: 'memory.deleted', memoryId: memory.id }]);
  });

  test('is not merged into, changed or deleted by a later write', async () => {
    const { deps, caller, clock, at } = await clockedWorld();
    const given = { content: 'soon gone', expiresAt: at(1) };
    const { memory } = await ingest(deps, caller, given);
    clock.now += HOUR_US;

    await expect(updateMemory(deps, caller, memory.id, { metadata: {} })).rejects.toMatchObject({ status: 404 });
    await expect(deleteMemory(deps, caller, memory.id)).rejects.toMatchObject({ status: 404 });
    expect(await deleteMany(deps, caller, { ids: [memory.id] })).toMatchObject({ deleted: 0, missing: [memory.id] });
    expect(await ingest(deps, caller, { content: 'soon gone' })).toMatchObject({ outcome: 'created' });
  });

  test('is restored with its expiry, unless that has passed', async () => {
    const { deps, caller, clock, at } = await clockedWorld();
    const { memory: early } = await ingest(deps, caller, { content: 'early', expiresAt: at(1) });
    const { memory: late } = await ingest(deps, caller, { content: 'late', expiresAt: at(9) });
    await deleteMemory(deps, caller, late.id);
    clock.now += HOUR_US;

    const restored = await restoreMemory(deps, caller, early.id);

    expect(restored).not.toHaveProperty('expiresAt');
    expect(await restoreMemory(deps, caller, late.id)).toMatchObject({ expiresAt: late.expiresAt });
    clock.now += 8 * HOUR_US;
    expect((await listRecent(deps, caller, ACTIVE, 9)).map(({ id }) => id)).toEqual([early.id]);
  });

  test('expires with hundreds of others of its organization in several units of work', async () => {
    const { deps, caller, clock, at } = await clockedWorld();
    const other = await anotherCaller(deps);
    const items = Array.from({ length: 230 }, (_, n) => ({ input: { content: `memory ${n}`, expiresAt: at(1) } }));
    await ingestBatch({ ...deps, limits: { ...deps.limits, batchItems: 230 } }, caller, items, false);
    await ingest(deps, caller, { content: 'later', expiresAt: at(2) });
    await ingest(deps, other, { content: 'theirs', expiresAt: at(2) });
    clock.now += HOUR_US;

    await tendAll(deps);

    expect(await countMemories(deps, caller, NO_FILTER, true)).toMatchObject({ total: 231 });
    expect(await countMemories(deps, caller, NO_FILTER, false)).toMatchObject({ total: 1 });
    expect(await deps.store.accounts.settings(caller.organizationId)).toMatchObject({
      nextExpiry: clock.now + HOUR_US,
    });
    clock.now += HOUR_US;
    await tendAll(deps);
    expect(await deps.store.accounts.settings(caller.organizationId)).not.toHaveProperty('nextExpiry');
    expect(await countMemories(deps, other, NO_FILTER, false)).toMatchObject({ total: 0 });
  });
});

describe('the expiry of a write', () => {
  test('is set and cleared by an update', async () => {
    const { deps, caller, at } = await clockedWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });

    const set = await updateMemory(deps, caller, memory.id, { expiresAt: at(1) });
    const kept = await updateMemory(deps, caller, memory.id, { metadata: { a: 1 } });
    const cleared = await updateMemory(deps, caller, memory.id, { expiresAt: null });

    expect(set.memory.expiresAt).toBeDefined();
    expect(kept.memory.expiresAt).toBe(set.memory.expiresAt);
    expect(cleared.memory).not.toHaveProperty('expiresAt');
  });

  test('replaces the stored one in an upsert, and stays unchanged without a value', async () => {
    const { deps, caller, at } = await clockedWorld();
    const keyed = { externalKey: 'k', content: 'x' };
    const made = await upsert(deps, caller, { ...keyed, expiresAt: at(5) });

    const same = await upsert(deps, caller, keyed);
    const sooner = await upsert(deps, caller, { ...keyed, expiresAt: at(1) });
    const other = await upsert(deps, caller, { ...keyed, content: 'y' });

    expect(same).toMatchObject({ untouched: true, memory: { expiresAt: made.memory.expiresAt } });
    expect(sooner.memory.expiresAt).toBeLessThan(made.memory.expiresAt!);
    expect(other.memory.expiresAt).toBe(sooner.memory.expiresAt);
  });

  test('counts in a replay if it is later, and never is the latest', async () => {
    const { deps, caller, at } = await clockedWorld();
    const write = async (expiresAt?: string) => (await ingest(deps, caller, { content: 'x', expiresAt })).memory;
    const first = await write(at(2));

    expect(await write(at(1))).toEqual(first);
    const later = await write(at(3));
    expect(later.expiresAt).toBeGreaterThan(first.expiresAt!);
    expect(await write()).not.toHaveProperty('expiresAt');
    expect(await write(at(1))).not.toHaveProperty('expiresAt');
  });

  test.each(['yesterday', '2020-01-01', ''])('is rejected if it is %j', async (expiresAt) => {
    const { deps, caller } = await clockedWorld();

    const refused = ingest(deps, caller, { content: 'x', expiresAt });

    await expect(refused).rejects.toMatchObject({ status: 422, extra: { details: [{ path: 'expiresAt' }] } });
  });
});
