import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { DuplicateUserError } from '../../../ports/account-store.js';
import { aFoundedOrganization, aMember, anApiToken, aSession, aUser, credentialOf } from '../../fixtures/accounts.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests users and their memberships in organizations. */
export function membersSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: members`, () => {
    test('finds a user by id and by address, in any case', async () => {
      const store = await openEmpty();
      const { organization } = await aFoundedOrganization(store);
      const user = await aMember(store, organization.id, { email: 'Ana.Ørsted@Example.test', passwordHash: 'hash' });

      const { accounts } = store;

      expect(await accounts.findUser(user.id)).toEqual(user);
      expect(await accounts.findUserByEmail('ana.ørsted@EXAMPLE.test')).toEqual(user);
      expect(await accounts.findUserByEmail('ana.orsted@example.test')).toBeUndefined();
      expect(await accounts.findUser(v7())).toBeUndefined();
      expect(await accounts.findUser('no uuid')).toBeUndefined();
    });

    test('finds the founding owner, who has no password', async () => {
      const store = await openEmpty();
      const { owner } = await aFoundedOrganization(store);

      expect(await store.accounts.findUser(owner.id)).toEqual(owner);
      expect(await store.accounts.findUserByEmail(owner.email.toUpperCase())).toEqual(owner);
    });

    test('stores an address for one user only, and nothing of a unit that tries to store it again', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const user = aUser({ email: owner.email.toUpperCase() });

      const taking = store.transact(organization.id, async ({ accounts }) => {
        await accounts.insertUser(user);
      });

      await expect(taking).rejects.toThrow(DuplicateUserError);
      expect(await store.accounts.findUser(user.id)).toBeUndefined();
    });

    test('rejects a second user with an address at the same moment, once the first can be found', async () => {
      const store = await openEmpty();
      const founded = await Promise.all([aFoundedOrganization(store), aFoundedOrganization(store)]);
      const { accounts } = store;
      const users = founded.map(() => aUser({ email: 'twice@example.test' }));

      const found = await Promise.all(
        founded.map(({ organization }, i) =>
          store
            .transact(organization.id, (unit) => unit.accounts.insertUser(users[i]!))
            .then(() => users[i])
            .catch((error: unknown) => {
              expect(error).toBeInstanceOf(DuplicateUserError);
              return accounts.findUserByEmail('twice@example.test');
            }),
        ),
      );

      expect(users).toContainEqual(found[0]);
      expect(found[1]).toEqual(found[0]);
    });

    test('lists members in order of joining, page by page', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const users = [await aMember(store, organization.id), await aMember(store, organization.id)];
      await aFoundedOrganization(store);

      const all = await store.accounts.listMembers(organization.id, { limit: 10 });
      const [first] = all;
      const after = { at: first!.joinedAt, id: first!.userId };
      const rest = await store.accounts.listMembers(organization.id, { limit: 1, after });

      expect(first).toEqual({ userId: owner.id, email: owner.email, role: 'owner', joinedAt: organization.createdAt });
      expect(all.slice(1).map(({ userId }) => userId)).toEqual(users.map(({ id }) => id).sort());
      expect(rest).toEqual(all.slice(1, 2));
      expect(await store.accounts.listMembers(v7(), { limit: 10 })).toEqual([]);
    });

    test('lists the organizations of a user with names and roles', async () => {
      const store = await openEmpty();
      const [first, second] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];
      await store.transact(second.organization.id, async ({ accounts }) =>
        accounts.insertMember({ userId: first.owner.id, role: 'readonly', joinedAt: 5 }),
      );

      expect(await store.accounts.membershipsOf(first.owner.id)).toEqual([
        { organizationId: first.organization.id, name: first.organization.name, role: 'owner' },
        { organizationId: second.organization.id, name: second.organization.name, role: 'readonly' },
      ]);
      expect(await store.accounts.membershipsOf(v7())).toEqual([]);
    });

    test('returns the role of a user in each organization, also with a token or a session', async () => {
      const store = await openEmpty();
      const { accounts } = store;
      const [first, second] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];
      const session = aSession(first.owner.id);
      await accounts.createSession(session);
      await store.transact(second.organization.id, async (unit) => {
        await unit.accounts.insertMember({ userId: first.owner.id, role: 'readonly', joinedAt: 5 });
        await unit.saveSettings({ semanticDedupe: false, subjectKeyType: 'integer' });
      });

      const own = { organizationId: first.organization.id, role: 'owner', settings: { semanticDedupe: true } };
      const settings = { semanticDedupe: false, subjectKeyType: 'integer' };
      const joined = { organizationId: second.organization.id, role: 'readonly', settings };
      for (const [organizationId, standings] of [
        [undefined, [own, joined]],
        [second.organization.id, [joined]],
        [v7(), []],
        ['no uuid', []],
      ] as const) {
        expect(await accounts.standingsOf(first.owner.id, organizationId)).toEqual(standings);
        expect(await accounts.findTokenByDigest(first.token.digest, organizationId)).toEqual({
          credential: first.token,
          standings,
        });
        expect(await accounts.findSession(session.digest, organizationId)).toEqual({ credential: session, standings });
      }
      expect(await accounts.standingsOf(v7())).toEqual([]);
    });

    test('returns no role for a member who was removed', async () => {
      const store = await openEmpty();
      const { accounts } = store;
      const { organization, owner, token } = await aFoundedOrganization(store);
      expect((await accounts.findTokenByDigest(token.digest, organization.id))?.standings).toHaveLength(1);

      await store.transact(organization.id, async (unit) => unit.accounts.removeMember(owner.id, 7));

      expect(await accounts.findTokenByDigest(token.digest, organization.id)).toEqual({
        credential: { ...token, revokedAt: 7 },
        standings: [],
      });
      expect(await accounts.standingsOf(owner.id)).toEqual([]);
    });

    test('returns the current role of a token’s user, however it was changed', async () => {
      const store = await openEmpty();
      const { organization, owner, token } = await aFoundedOrganization(store);
      const standing = async () => (await store.accounts.findTokenByDigest(token.digest))?.standings;
      const before = await standing();

      await store.transact(organization.id, async (unit) => unit.saveSettings({ semanticDedupe: false }));
      const reset = await standing();
      await store.transact(organization.id, async (unit) => unit.accounts.changeRole(owner.id, 'readonly'));
      const demoted = await standing();

      const organizationId = organization.id;
      expect(before).toEqual([{ organizationId, role: 'owner', settings: { semanticDedupe: true } }]);
      expect(reset).toEqual([{ organizationId, role: 'owner', settings: { semanticDedupe: false } }]);
      expect(demoted).toEqual([{ organizationId, role: 'readonly', settings: { semanticDedupe: false } }]);
    });

    test('changes a role at once for the unit, and after it for readers', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const user = await aMember(store, organization.id);

      const owners = await store.transact(organization.id, async ({ accounts }) => {
        const before = await accounts.countOwners();
        await accounts.changeRole(user.id, 'owner');
        return [before, await accounts.countOwners(), (await accounts.findMember(user.id))?.role];
      });

      expect(owners).toEqual([1, 2, 'owner']);
      expect(await store.accounts.findRole(organization.id, user.id)).toBe('owner');
      expect(await store.accounts.findRole(organization.id, owner.id)).toBe('owner');
    });

    test('removes a membership with the tokens made in that organization, and no others', async () => {
      const store = await openEmpty();
      const [here, there] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];
      const user = await aMember(store, here.organization.id);
      const ofUser = anApiToken({ organizationId: here.organization.id, userId: user.id });
      const ofOwner = anApiToken({ organizationId: here.organization.id, userId: here.owner.id });
      const elsewhere = anApiToken({ organizationId: there.organization.id, userId: user.id });
      await store.transact(here.organization.id, async ({ accounts }) => {
        await accounts.insertToken(ofUser);
        await accounts.insertToken(ofOwner);
      });
      await store.transact(there.organization.id, async ({ accounts }) => accounts.insertToken(elsewhere));

      await store.transact(here.organization.id, async ({ accounts }) => accounts.removeMember(user.id, 7));

      expect(await store.accounts.findRole(here.organization.id, user.id)).toBeUndefined();
      expect(await store.accounts.findTokenByDigest(ofUser.digest).then(credentialOf)).toEqual({
        ...ofUser,
        revokedAt: 7,
      });
      expect(await store.accounts.findTokenByDigest(ofOwner.digest).then(credentialOf)).toEqual(ofOwner);
      expect(await store.accounts.findTokenByDigest(elsewhere.digest).then(credentialOf)).toEqual(elsewhere);
      expect(await store.accounts.findUser(user.id)).toEqual(user);
    });

    test('finds no member of another organization in a unit', async () => {
      const store = await openEmpty();
      const [here, there] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];

      const found = await store.transact(here.organization.id, async ({ accounts }) => {
        await accounts.changeRole(there.owner.id, 'readonly');
        await accounts.removeMember(there.owner.id, 7);
        return [await accounts.findMember(there.owner.id), await accounts.findMember('no uuid')];
      });

      expect(found).toEqual([undefined, undefined]);
      expect(await store.accounts.findRole(there.organization.id, there.owner.id)).toBe('owner');
    });

    test('runs units of one organization one after the other, so that one owner always remains', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const other = await aMember(store, organization.id);
      await store.transact(organization.id, async ({ accounts }) => accounts.changeRole(other.id, 'owner'));

      const resign = (userId: string) =>
        store.transact(organization.id, async ({ accounts }) => {
          if ((await accounts.countOwners()) > 1) await accounts.changeRole(userId, 'member');
        });
      await Promise.all([resign(owner.id), resign(other.id), resign(owner.id), resign(other.id)]);

      const roles = (await store.accounts.listMembers(organization.id, { limit: 9 })).map(({ role }) => role);
      expect(roles.sort()).toEqual(['member', 'owner']);
    });
  });
}
