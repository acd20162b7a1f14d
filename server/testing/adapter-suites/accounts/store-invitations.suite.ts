import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { aFoundedOrganization, anInvitation } from '../../fixtures/accounts.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests invitations, each of which is settled once. */
export function invitationsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: invitations`, () => {
    test('returns an invitation as it was stored', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const invitation = anInvitation({ organizationId: organization.id, invitedBy: owner.id });

      const seen = await store.transact(organization.id, async ({ accounts }) => {
        await accounts.insertInvitation(invitation);
        return accounts.findInvitation(invitation.id);
      });

      expect(seen).toEqual(invitation);
      expect(await store.accounts.findInvitationByDigest(invitation.digest)).toEqual(invitation);
      expect(await store.accounts.findInvitationByDigest('')).toBeUndefined();
    });

    test('lists pending invitations, oldest first, page by page', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const of = { organizationId: organization.id, invitedBy: owner.id };
      const made = [1, 2, 3, 4].map((createdAt) => anInvitation({ ...of, createdAt }));
      await store.transact(organization.id, async ({ accounts }) => {
        for (const invitation of made) await accounts.insertInvitation(invitation);
        await accounts.acceptInvitation(made[0]!.id, 9);
        await accounts.revokeInvitation(made[2]!.id, 9);
      });

      const after = { at: made[1]!.createdAt, id: made[1]!.id };

      expect(await store.accounts.listInvitations(organization.id, { limit: 9 })).toEqual([made[1], made[3]]);
      expect(await store.accounts.listInvitations(organization.id, { limit: 1 })).toEqual([made[1]]);
      expect(await store.accounts.listInvitations(organization.id, { limit: 9, after })).toEqual([made[3]]);
      expect(await store.accounts.listInvitations(v7(), { limit: 9 })).toEqual([]);
    });

    test('settles an invitation once: the first outcome stays', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const of = { organizationId: organization.id, invitedBy: owner.id };
      const [accepted, revoked] = [anInvitation(of), anInvitation(of)];

      await store.transact(organization.id, async ({ accounts }) => {
        await accounts.insertInvitation(accepted);
        await accounts.insertInvitation(revoked);
        await accounts.acceptInvitation(accepted.id, 7);
        await accounts.revokeInvitation(accepted.id, 8);
        await accounts.revokeInvitation(revoked.id, 7);
        await accounts.acceptInvitation(revoked.id, 8);
      });

      const { accounts } = store;
      expect(await accounts.findInvitationByDigest(accepted.digest)).toEqual({ ...accepted, acceptedAt: 7 });
      expect(await accounts.findInvitationByDigest(revoked.digest)).toEqual({ ...revoked, revokedAt: 7 });
    });

    test('deletes invitations that were accepted or revoked before a time, the earliest first, up to a limit', async () => {
      const store = await openEmpty();
      const [here, there] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];
      const invitationOf = ({ organization, owner }: typeof here) =>
        anInvitation({ organizationId: organization.id, invitedBy: owner.id, createdAt: 1, expiresAt: 2 });
      const [first, second, last, pending] = [1, 2, 3, 4].map(() => invitationOf(here));
      const revoked = invitationOf(there);
      await store.transact(here.organization.id, async ({ accounts }) => {
        for (const each of [first, second, last, pending]) await accounts.insertInvitation(each!);
        await accounts.acceptInvitation(second!.id, 6);
        await accounts.acceptInvitation(first!.id, 5);
        await accounts.acceptInvitation(last!.id, 9);
      });
      await store.transact(there.organization.id, async ({ accounts }) => {
        await accounts.insertInvitation(revoked);
        await accounts.revokeInvitation(revoked.id, 8);
      });
      const left = async () => {
        const all = [first!, second!, last!, pending!, revoked];
        const found = await Promise.all(all.map(({ digest }) => store.accounts.findInvitationByDigest(digest)));
        return found.map((invitation) => invitation !== undefined);
      };

      await store.accounts.deleteSettledInvitations(5, 9);
      const before = await left();
      const hasMore = await store.accounts.deleteSettledInvitations(7, 1);
      const afterOne = await left();
      while (await store.accounts.deleteSettledInvitations(9, 1));

      expect({ before, hasMore, afterOne }).toEqual({
        before: [true, true, true, true, true],
        hasMore: true,
        afterOne: [false, true, true, true, true],
      });
      expect(await left()).toEqual([false, false, true, true, false]);
    });

    test('revokes pending invitations for an address, in any case, only in this organization', async () => {
      const store = await openEmpty();
      const [here, there] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];
      const email = 'Ana@Example.test';
      const own = anInvitation({ organizationId: here.organization.id, invitedBy: here.owner.id, email });
      const foreign = anInvitation({ organizationId: there.organization.id, invitedBy: there.owner.id, email });
      await store.transact(here.organization.id, async ({ accounts }) => accounts.insertInvitation(own));
      await store.transact(there.organization.id, async ({ accounts }) => accounts.insertInvitation(foreign));

      const found = await store.transact(here.organization.id, async ({ accounts }) => {
        await accounts.revokeInvitationsTo('ana@example.TEST', 8);
        await accounts.revokeInvitation(foreign.id, 8);
        await accounts.acceptInvitation(foreign.id, 8);
        return [await accounts.findInvitation(foreign.id), await accounts.findInvitation('no uuid')];
      });

      expect(found).toEqual([undefined, undefined]);
      expect(await store.accounts.findInvitationByDigest(own.digest)).toEqual({ ...own, revokedAt: 8 });
      expect(await store.accounts.findInvitationByDigest(foreign.digest)).toEqual(foreign);
    });
  });
}
