import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { OwnedLimitError } from '../../../ports/account-store.js';
import type { Store } from '../../../ports/store.js';
import { OrganizationGoneError } from '../../../ports/store-errors.js';
import { aFullOrganization, deleteFully, deleteOnly, type FullOrganization } from '../../fixtures/full-organization.js';
import { anOrganization, NORTH, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: true } as const;

/** Returns what the store finds of an organization without a caller who belongs to it. */
async function reachable(
  { accounts, inbound }: Store,
  { organizationId, owner, token, invitation, session, inboundWebhookId }: FullOrganization,
) {
  return {
    organization: await accounts.findOrganization(organizationId),
    ids: (await accounts.organizationIds()).filter((id) => id === organizationId),
    settings: await accounts.settings(organizationId),
    role: await accounts.findRole(organizationId, owner.id),
    memberships: await accounts.membershipsOf(owner.id),
    standings: await accounts.standingsOf(owner.id),
    token: await accounts.findTokenByDigest(token.digest),
    session: (await accounts.findSession(session.digest))?.standings,
    invitation: await accounts.findInvitationByDigest(invitation.digest),
    webhook: await inbound.findWebhook(inboundWebhookId),
  };
}

const UNREACHABLE = {
  organization: undefined,
  ids: [],
  settings: undefined,
  role: undefined,
  memberships: [],
  standings: [],
  token: undefined,
  session: [],
  invitation: undefined,
  webhook: undefined,
};

export function deletionsSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: deletions of organizations`, () => {
    test('make an organization unreachable at once, also where it was read before', async () => {
      const tested = await openEmpty();
      const full = await aFullOrganization(tested);
      const { organizationId } = full;
      expect(Object.values(await reachable(tested, full))).not.toContain(undefined);
      await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 5 });
      expect(await tested.usage.takeSearch(organizationId, '2024-05', 9)).toBe(true);

      await deleteOnly(tested, organizationId, 5);

      expect(await reachable(tested, full)).toEqual(UNREACHABLE);
      expect(await tested.usage.takeSearch(organizationId, '2024-05', 9)).toBe(false);
      await expect(store(tested, organizationId, {})).rejects.toThrow(OrganizationGoneError);
      expect(await tested.deletions.list()).toEqual([{ organizationId, deletedAt: 5 }]);
    });

    test('reject the units that wait for the deletion, and apply those before it', async () => {
      const tested = await openEmpty();
      const { organizationId } = await aFullOrganization(tested);

      const results = await Promise.allSettled([
        store(tested, organizationId, {}),
        deleteOnly(tested, organizationId),
        store(tested, organizationId, {}),
        deleteOnly(tested, organizationId),
      ]);

      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
      const gone = expect.objectContaining({ reason: expect.any(OrganizationGoneError) });
      expect(results.slice(2)).toEqual([gone, gone]);
      expect(await tested.deletions.list()).toHaveLength(1);
    });

    test('change nothing if the unit fails', async () => {
      const tested = await openEmpty();
      const full = await aFullOrganization(tested);
      const before = await reachable(tested, full);

      const failing = tested.transact(full.organizationId, async (unit) => {
        await unit.accounts.deleteOrganization(1);
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await reachable(tested, full)).toEqual(before);
      expect(await tested.deletions.list()).toEqual([]);
      await store(tested, full.organizationId, {});
    });

    test('are removed in steps, beside the organizations that stay', async () => {
      const tested = await openEmpty();
      const { organizationId } = await aFullOrganization(tested);
      const other = await aFullOrganization(tested);
      const before = await reachable(tested, other);
      await deleteOnly(tested, organizationId);
      let steps = 0;

      while (await tested.deletions.removeSome(organizationId, 1)) {
        steps += 1;
        if (steps % 3 === 0) await store(tested, other.organizationId, {});
      }
      await tested.deletions.end(organizationId);

      expect(steps).toBeGreaterThan(15);
      expect(await tested.deletions.list()).toEqual([]);
      expect(await reachable(tested, other)).toEqual(before);
      const query = { ...EVERYTHING, text: 'zeppelins', limit: 5 };
      const { matches } = await tested.memories.matching(other.organizationId, query);
      expect(matches).toMatchObject([{ memory: { id: other.memory.id } }]);
    });

    test('remove nothing of an organization that was not deleted', async () => {
      const tested = await openEmpty();
      const full = await aFullOrganization(tested);
      const before = await reachable(tested, full);

      expect(await tested.deletions.removeSome(full.organizationId, 9)).toBe(false);
      await tested.deletions.end(full.organizationId);

      expect(await reachable(tested, full)).toEqual(before);
    });

    test('keep the account, which may make another organization', async () => {
      const tested = await openEmpty();
      const { owner, organizationId } = await aFullOrganization(tested);
      const make = () =>
        tested.accounts.createOrganization({
          organization: { id: v7(), name: 'next', createdAt: 1 },
          owner,
          maxOwned: 1,
        });
      await expect(make()).rejects.toThrow(OwnedLimitError);

      await deleteOnly(tested, organizationId);
      await make();

      expect(await tested.accounts.membershipsOf(owner.id)).toMatchObject([{ name: 'next', role: 'owner' }]);
    });

    test('keep an id from being used while data is left, and free it at the end', async () => {
      const tested = await openEmpty();
      const { owner, organizationId: id } = await aFullOrganization(tested);
      const make = () => tested.accounts.createOrganization({ organization: { id, name: 'n', createdAt: 1 }, owner });
      await deleteOnly(tested, id);
      await expect(make()).rejects.toThrow();

      while (await tested.deletions.removeSome(id, 9));
      await tested.deletions.end(id);
      await make();

      expect(await tested.accounts.findOrganization(id)).toMatchObject({ id, name: 'n' });
      expect(await tested.memories.list(id, { ...EVERYTHING, order: 'oldest', limit: 9 })).toEqual([]);
    });

    test('do not mix up an organization with the next one', async () => {
      const tested = await openEmpty();
      const { organizationId } = await aFullOrganization(tested);
      await deleteFully(tested, organizationId);

      const next = await anOrganization(tested);
      const [memory] = await store(tested, next, { content: 'of the next one' });

      const found = await tested.memories.nearest(next, { ...EVERYTHING, vector: NORTH, limit: 5 });
      expect(found.map((each) => each.memory.id)).toEqual([memory!.id]);
      expect(await tested.memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 9 })).toEqual([]);
    });

    test.skipIf(!reopen)('continue when the store opens again', async () => {
      const tested = await openEmpty();
      const full = await aFullOrganization(tested);
      const other = await aFullOrganization(tested);
      await deleteOnly(tested, full.organizationId, 5);
      await tested.deletions.removeSome(full.organizationId, 1);

      const reopened = await reopen!(tested);

      expect(await reachable(reopened, full)).toEqual(UNREACHABLE);
      expect(await reopened.deletions.list()).toEqual([{ organizationId: full.organizationId, deletedAt: 5 }]);
      while (await reopened.deletions.removeSome(full.organizationId, 9));
      await reopened.deletions.end(full.organizationId);
      expect(await reopened.deletions.list()).toEqual([]);
      expect(await reopened.memories.findById(other.organizationId, other.memory.id)).toEqual(other.memory);
    });
  });
}
