import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../../domain/account/audit-event.js';
import { anOrganization, insertInto, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const PERIOD = '2026-03-15T10:30:00.000000Z';

/** Tests usage counts, also under a cap. */
export function usageSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: usage`, () => {
    test('stores audit events, and counts ingests and searches by period', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const event: AuditEvent = {
        id: v7(),
        occurredAt: 1,
        action: 'memory.ingest',
        actor: { type: 'token', id: v7() },
        source: 'rest',
        metadata: { outcome: 'created' },
      };

      await tested.transact(own, async (unit) => {
        await insertInto(unit);
        await unit.recordAudit(event);
        await unit.countIngest('2024-05', 2);
        await unit.countIngest('2024-05', 1);
        await unit.countIngest('2024-06', 5);
      });
      tested.usage.countSearch(own, '2024-05');
      tested.usage.countSearch(own, '2024-05');
      tested.usage.countSearch(v7(), '2024-05');

      expect(await tested.usage.read(own, '2024-05')).toEqual({ ingest: 3, search: 2 });
      await store(tested, own, {});
      tested.usage.countSearch(own, '2024-05');
      expect(await tested.usage.read(own, '2024-05')).toEqual({ ingest: 3, search: 3 });
      expect(await tested.usage.read(own, '2024-06')).toEqual({ ingest: 5, search: 0 });
      expect(await tested.usage.read(other, '2024-05')).toEqual({ ingest: 0, search: 0 });
      expect(await tested.usage.read(v7(), '2024-05')).toEqual({ ingest: 0, search: 0 });
    });

    test('counts ingests up to the cap, and none beyond it', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const counted = await tested.transact(organizationId, async (unit) => [
        await unit.countIngest(PERIOD, 2, 3),
        await unit.countIngest(PERIOD, 2, 3),
        await unit.countIngest(PERIOD, 1, 3),
        await unit.countIngest(PERIOD, 1, 3),
        await unit.ingested(PERIOD),
      ]);

      expect(counted).toEqual([true, false, true, false, 3]);
      expect(await tested.usage.read(organizationId, PERIOD)).toEqual({ ingest: 3, search: 0 });
    });

    test('counts none under a cap of 0, and any number without a cap', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const counted = await tested.transact(organizationId, async (unit) => [
        await unit.countIngest(PERIOD, 1, 0),
        await unit.countIngest(PERIOD, 1_000_000),
      ]);

      expect(counted).toEqual([false, true]);
    });

    test('counts exactly the cap of ingests, however many units run at once', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const counted = await Promise.all(
        Array.from({ length: 48 }, () => tested.transact(organizationId, (unit) => unit.countIngest(PERIOD, 1, 17))),
      );

      expect(counted.filter((each) => each)).toHaveLength(17);
      expect(await tested.usage.read(organizationId, PERIOD)).toEqual({ ingest: 17, search: 0 });
    });

    test('does not count the ingest of a unit that failed', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const failing = tested.transact(organizationId, async (unit) => {
        await unit.countIngest(PERIOD, 1, 1);
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await tested.transact(organizationId, (unit) => unit.countIngest(PERIOD, 1, 1))).toBe(true);
    });

    test('counts exactly the cap of searches, however many run at once', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const taken = await Promise.all(
        Array.from({ length: 256 }, () => tested.usage.takeSearch(organizationId, PERIOD, 100)),
      );

      expect(taken.filter((each) => each)).toHaveLength(100);
      expect(await tested.usage.read(organizationId, PERIOD)).toEqual({ ingest: 0, search: 100 });
    });

    test('allows another search after one was returned to the cap', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await tested.usage.takeSearch(organizationId, PERIOD, 1);

      const before = await tested.usage.takeSearch(organizationId, PERIOD, 1);
      await tested.usage.giveBackSearch(organizationId, PERIOD);
      const after = await tested.usage.takeSearch(organizationId, PERIOD, 1);

      expect([before, after]).toEqual([false, true]);
      expect(await tested.usage.read(organizationId, PERIOD)).toEqual({ ingest: 0, search: 1 });
    });

    test('keeps the caps of organizations and periods apart', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];

      const taken = [
        await tested.usage.takeSearch(own, PERIOD, 1),
        await tested.usage.takeSearch(other, PERIOD, 1),
        await tested.usage.takeSearch(own, '2026-04', 1),
        await tested.usage.takeSearch(v7(), PERIOD, 1),
      ];

      expect(taken).toEqual([true, true, true, false]);
    });

    test.runIf(reopen)('keeps counts across a restart', async () => {
      const first = await openEmpty();
      const organizationId = await anOrganization(first);
      await first.usage.takeSearch(organizationId, PERIOD, 2);

      const tested = await reopen!(first);

      const taken = [
        await tested.usage.takeSearch(organizationId, PERIOD, 2),
        await tested.usage.takeSearch(organizationId, PERIOD, 2),
      ];
      expect(taken).toEqual([true, false]);
    });

    test('counts by day, of units that committed and of reads', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const failing = tested.transact(own, async (unit) => {
        await unit.countDaily('2026-03-01', 'stored');
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');

      await tested.transact(own, async (unit) => {
        for (const kind of ['stored', 'stored', 'merged', 'replayed'] as const)
          await unit.countDaily('2026-03-01', kind);
        await unit.countDaily('2026-03-02', 'stored');
      });
      for (const day of ['2026-03-02', '2026-03-02', '2026-03-04']) tested.usage.countDaily(own, day, 'searched');

      const none = { stored: 0, merged: 0, replayed: 0, searched: 0 };
      const days = [
        { ...none, day: '2026-03-02', stored: 1, searched: 2 },
        { ...none, day: '2026-03-04', searched: 1 },
      ];
      expect(await tested.usage.days(own, '2026-03-02')).toEqual(days);
      expect(await tested.usage.days(own, '2026-03-01')).toEqual([
        { day: '2026-03-01', stored: 2, merged: 1, replayed: 1, searched: 0 },
        ...days,
      ]);
      expect(await tested.usage.days(other, '2026-03-01')).toEqual([]);
      expect(await tested.usage.days('unknown', '2026-03-01')).toEqual([]);
    });

    test('forgets the days before a day', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await tested.transact(organizationId, async (unit) => {
        for (const day of ['2025-12-31', '2026-01-01', '2026-01-02']) await unit.countDaily(day, 'stored');
      });

      await tested.usage.forgetDaysBefore('2026-01-01');

      const left = await tested.usage.days(organizationId, '');
      expect(left.map(({ day }) => day)).toEqual(['2026-01-01', '2026-01-02']);
    });

    test.runIf(reopen)('keeps the counts of reads by day across a restart', async () => {
      const first = await openEmpty();
      const organizationId = await anOrganization(first);
      first.usage.countDaily(organizationId, '2026-03-02', 'searched');

      const tested = await reopen!(first);

      expect(await tested.usage.days(organizationId, '')).toMatchObject([{ day: '2026-03-02', searched: 1 }]);
    });

    test('counts the bytes of active memories, and of none that was deleted or is of another organization', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [memory] = await store(tested, organizationId, { content: 'naïve 🐢', metadata: { kind: 'Ü' } });
      await store(tested, other, { content: 'a' });
      const counts = [await tested.usage.storedBytes(organizationId)];

      counts.push(
        await tested.transact(organizationId, async (unit) => {
          await unit.update({ ...memory!, metadata: {}, updatedAt: await unit.tick() });
          return unit.storedBytes();
        }),
      );
      await tested.transact(organizationId, async (unit) => {
        const at = await unit.tick();
        await unit.update({ ...memory!, metadata: {}, updatedAt: at, deletedAt: at });
      });
      counts.push(await tested.usage.storedBytes(organizationId));

      expect(counts).toEqual([11 + 13 + 4_096, 11 + 2 + 4_096, 0]);
      expect(await tested.usage.storedBytes(other)).toBe(1 + 2 + 4_096);
      expect(await tested.usage.storedBytes('unknown')).toBe(0);
    });
  });
}
