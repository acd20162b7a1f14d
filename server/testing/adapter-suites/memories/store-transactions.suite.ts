import { setImmediate as turn } from 'node:timers/promises';
import { v7 } from 'uuid';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS } from '../../../domain/fairness/bounds.js';
import { ShareExceededError } from '../../../domain/fairness/owner.js';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { NO_SCOPE } from '../../../domain/memory/memory.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import { anOrganization, indexedBy, insertInto, NORTH, store, unitVector } from '../../fixtures/memories.js';
import { gate } from '../jobs/job-runs.js';
import type { StoreOpening } from '../store.suite.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

/** Tests units of work: atomic, one after the other, on a clock that never goes back. */
export function transactionsSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: transact`, () => {
    test('returns what the work returned, and passes its organization', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const returned = await tested.transact(organizationId, async (unit) => unit.organizationId);

      expect(returned).toBe(organizationId);
    });

    test('rejects an organization that does not exist', async () => {
      const tested = await openEmpty();

      await expect(tested.transact(v7(), async () => 1)).rejects.toThrow(/organization/);
    });

    test('rejects a unit if its organization has its whole share waiting, and no unit of another organization', async () => {
      const tested = await openEmpty();
      const [full, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [begun, held] = [gate(), gate()];
      const first = tested.transact(full, async () => {
        begun.open();
        await held.opened;
      });
      await begun.opened;
      const { tenant: share } = BOUNDS.writes.waitingShares;
      const order: number[] = [];
      // A stopped clock: on a slow machine, real deadlines would expire while so many units are made.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const waiting = Array.from({ length: share }, (_, n) => tested.transact(full, async () => order.push(n)));

      const refused = await tested.transact(full, async () => -1).catch((error: unknown) => error);
      const accepted = tested.transact(other, async () => 'accepted');

      await turn();
      vi.useRealTimers();
      expect(refused).toEqual(new ShareExceededError('writes', 'tenant', share));
      held.open();
      await expect(accepted).resolves.toBe('accepted');
      await Promise.all([first, ...waiting]);
      expect(order).toEqual(waiting.map((_, n) => n));
      const use = tested.sharedResources?.find(({ name }) => name === 'writes')?.use;
      expect(use).toEqual({ inUse: 0, waiting: 0, refused: 1 });
    });

    test('rejects a unit whose turn does not come in time, and runs nothing of it', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [begun, held] = [gate(), gate()];
      const first = tested.transact(organizationId, async () => {
        begun.open();
        await held.opened;
      });
      await begun.opened;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const ran: string[] = [];
      const late = tested.transact(organizationId, async () => ran.push('late')).catch((error: unknown) => error);
      await turn();

      vi.advanceTimersByTime(BOUNDS.writes.maxWaitMs);
      vi.useRealTimers();
      held.open();

      expect(await late).toMatchObject({ resource: 'writes', waitedMs: BOUNDS.writes.maxWaitMs });
      await first;
      await tested.transact(organizationId, async () => ran.push('next'));
      expect(ran).toEqual(['next']);
    });

    test('keeps nothing of a unit that failed', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const id = v7();

      const failing = tested.transact(organizationId, async (unit) => {
        await insertInto(unit, { id, content: 'vanished', metadata: { kind: 'x' } });
        await unit.countIngest('2024-05', 3);
        await unit.saveSettings({ ...(await unit.settings()), semanticDedupe: false });
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await tested.memories.findById(organizationId, id)).toBeUndefined();
      expect(await tested.memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 9 })).toEqual([]);
      expect(await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 9 })).toEqual([]);
      expect(
        await tested.memories.matching(organizationId, { ...EVERYTHING, text: 'vanished', limit: 9 }),
      ).toMatchObject({
        matches: [],
      });
      const stats = await tested.memories.stats(organizationId, { ...EVERYTHING, facets: ['kind'], valuesPerFacet: 9 });
      expect(stats).toEqual({ facets: { kind: [] }, total: 0, filtered: 0 });
      expect(await tested.usage.read(organizationId, '2024-05')).toEqual({ ingest: 0, search: 0 });
      expect(await tested.accounts.settings(organizationId)).toMatchObject({ semanticDedupe: true });
    });

    test('continues after a failed unit, whose changes never appear', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [kept] = await store(tested, organizationId, { content: 'kept', embedding: unitVector([0, 1]) });

      const outcomes = await Promise.allSettled([
        store(tested, organizationId, { content: 'before', embedding: unitVector([0, 0, 1]) }),
        tested.transact(organizationId, async (unit) => {
          await insertInto(unit, { content: 'lost', embedding: NORTH });
          await unit.update({ ...kept!, updatedAt: await unit.tick(), metadata: { changed: true } });
          throw new Error('on purpose');
        }),
        store(tested, organizationId, { content: 'after', embedding: unitVector([0, 0, 0, 1]) }),
      ]);

      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 9 });
      expect(found.map(({ memory }) => memory.content).sort()).toEqual(['after', 'before', 'kept']);
      expect(await tested.memories.findById(organizationId, kept!.id)).toEqual(kept);
    });

    test('returns the right result to each unit if another one failed', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const kept = await store(
        tested,
        organizationId,
        { content: 'kept' },
        { content: 'word', embedding: unitVector([1, 1]) },
      );
      const words = { ...EVERYTHING, text: 'word kept', limit: 9 };
      const before = await tested.memories.matching(organizationId, words);
      await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 2 });

      await Promise.allSettled([
        tested.transact(organizationId, (unit) => unit.tick()),
        tested.transact(organizationId, async (unit) => {
          for (let n = 0; n < 20; n += 1) await insertInto(unit, { content: `word ${n}`, embedding: NORTH });
          throw new Error('on purpose');
        }),
        tested.transact(organizationId, (unit) => unit.tick()),
      ]);

      const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 2 });
      expect(found.map(({ memory }) => memory)).toEqual(kept);
      expect(await tested.memories.matching(organizationId, words)).toEqual(before);
    });

    test('runs the units of an organization one after the other', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [counter] = await store(tested, organizationId, { metadata: { count: 0 } });
      const increment = () =>
        tested.transact(organizationId, async (unit) => {
          const current = await unit.findById(counter!.id);
          await new Promise((resolve) => setImmediate(resolve));
          const count = Number(current!.metadata.count) + 1;
          await unit.update({ ...current!, updatedAt: await unit.tick(), metadata: { count } });
        });

      await Promise.all(Array.from({ length: 64 }, increment));

      expect(await tested.memories.findById(organizationId, counter!.id)).toMatchObject({ metadata: { count: 64 } });
    });

    test('shows a unit its own writes, and shows them to others only after the commit', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const seen: unknown[] = [];

      const memory = await tested.transact(organizationId, async (unit) => {
        const written = await insertInto(unit, { content: 'Seen', externalKey: 'k', embedding: NORTH });
        const { contentHash, wordsHash } = indexedBy(written);
        seen.push(
          await unit.findById(written.id),
          await unit.findActiveByContent({}, contentHash),
          (await unit.findActiveByWords({}, wordsHash, 1))[0],
          await unit.findByExternalKey('k', NO_SCOPE),
          await unit.similarityOf(written.id, NORTH),
        );
        expect(await tested.memories.findById(organizationId, written.id)).toBeUndefined();
        expect(await tested.memories.areActive(organizationId, [{ contentHash }])).toEqual([false]);
        expect(await tested.memories.list(organizationId, { ...EVERYTHING, order: 'newest', limit: 1 })).toEqual([]);
        expect(await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 1 })).toEqual([]);
        return written;
      });

      expect(seen).toEqual([memory, memory, memory, memory, 1]);
      expect(await tested.memories.findById(organizationId, memory.id)).toEqual(memory);
    });

    test('lets a unit continue after a duplicate that it expected', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'same' });

      const other = await tested.transact(organizationId, async (unit) => {
        await expect(insertInto(unit, { content: 'same', metadata: { stray: 1 } })).rejects.toThrow(
          DuplicateMemoryError,
        );
        return insertInto(unit, { content: 'other' });
      });

      const listed = await tested.memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 9 });
      expect(listed.map(({ content }) => content)).toEqual(['same', 'other']);
      expect(listed[1]).toEqual(other);
      const stats = await tested.memories.stats(organizationId, {
        ...EVERYTHING,
        facets: ['stray'],
        valuesPerFacet: 9,
      });
      expect(stats.facets.stray).toEqual([]);
    });

    test('rejects a write through a unit that has ended', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const escaped = await tested.transact(organizationId, async (unit) => ({ unit }));

      await expect(escaped.unit.tick()).rejects.toThrow();
    });

    test('reports that it can be written and read', async () => {
      const tested = await openEmpty();

      await expect(tested.probe()).resolves.toBeUndefined();
    });
  });

  describe(`${name}: clock`, () => {
    test('only moves forward, whatever the wall clock does', async () => {
      const wall = [1_000_000, 1_000_000, 500_000, 2_000_000, 1];
      const tested = await openEmpty({ now: () => wall.shift() ?? 1 });
      const organizationId = await anOrganization(tested);

      const ticks: number[] = [];
      for (let unit = 0; unit < 3; unit += 1) {
        ticks.push(...(await tested.transact(organizationId, async (work) => [await work.tick(), await work.tick()])));
      }

      expect(ticks).toEqual([1_000_000, 1_000_001, 1_000_002, 2_000_000, 2_000_001, 2_000_002]);
    });

    test('is separate for each organization', async () => {
      const wall = [5_000_000, 1_000_000];
      const tested = await openEmpty({ now: () => wall.shift() ?? 1 });
      const [ahead, behind] = [await anOrganization(tested), await anOrganization(tested)];

      const ticks = [
        await tested.transact(ahead, (unit) => unit.tick()),
        await tested.transact(behind, (unit) => unit.tick()),
      ];

      expect(ticks).toEqual([5_000_000, 1_000_000]);
    });

    test.runIf(reopen)('continues where it was after a restart', async () => {
      const wall = [9_000_000, 1];
      const first = await openEmpty({ now: () => wall.shift() ?? 1 });
      const organizationId = await anOrganization(first);
      const [memory] = await store(first, organizationId, { content: 'remembered', metadata: { kind: 'x' } });

      const tested = await reopen!(first);

      const tick = await tested.transact(organizationId, (unit) => unit.tick());
      expect(tick).toBeGreaterThan(9_000_000);
      expect(await tested.memories.findById(organizationId, memory!.id)).toEqual(memory);
      const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 1 });
      expect(found[0]?.memory).toEqual(memory);
    });
  });
}
