import { describe, expect, test } from 'vitest';
import { anOrganization, change, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests that expiring memories and their organizations are found in time. */
export function expirySuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: expiry`, () => {
    test('finds the active memories that expire, the earliest first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const times = [300, undefined, 100, 200, 50];
      const given = times.map((expiresAt) => (expiresAt === undefined ? {} : { expiresAt }));
      const [last, , first, second, deleted] = await store(tested, organizationId, ...given);
      await softDelete(tested, deleted!);
      const find = (limit: number) => tested.transact(organizationId, (unit) => unit.findExpiring(limit));

      expect(await find(9)).toEqual([first, second, last]);
      expect(await find(1)).toEqual([first]);
      expect(await tested.memories.findById(organizationId, first!.id)).toEqual(first);
    });

    test('stores the earliest expiry in the settings, and finds the organization once it has come', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const next = async () => (await tested.accounts.settings(organizationId))?.nextExpiry;
      await store(tested, other, {});

      expect(await next()).toBeUndefined();
      const [memory] = await store(tested, organizationId, { expiresAt: 300 });
      expect(await next()).toBe(300);
      await store(tested, organizationId, { expiresAt: 400 });
      expect(await next()).toBe(300);
      await change(tested, memory!, { expiresAt: 100 });
      expect(await next()).toBe(100);
      await softDelete(tested, (await store(tested, organizationId, { expiresAt: 200 }))[0]!);
      expect(await next()).toBe(100);

      expect(await tested.accounts.organizationsToTend(99)).not.toContain(organizationId);
      expect(await tested.accounts.organizationsToTend(100)).toContain(organizationId);
      expect(await tested.accounts.organizationsToTend(100)).not.toContain(other);
    });
  });
}
