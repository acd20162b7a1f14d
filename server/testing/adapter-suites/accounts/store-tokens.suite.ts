import { v7 } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { aFoundedOrganization, aMember, anApiToken, credentialOf } from '../../fixtures/accounts.js';
import type { StoreOpening } from '../store.suite.js';

/** Expected events come within seconds; a busy machine may need longer. */
const PATIENT = { timeout: 60_000 };

/** Tests tokens: listing, creation and revocation. */
export function tokensSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: tokens`, () => {
    test('shows a new token to its unit at once, and to readers only after the commit', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const token = anApiToken({ organizationId: organization.id, userId: owner.id, expiresAt: 9, name: 'Ü "x"' });

      const seen = await store.transact(organization.id, async ({ accounts }) => {
        await accounts.insertToken(token);
        expect(await store.accounts.findTokenByDigest(token.digest)).toBeUndefined();
        return accounts.findToken(token.id);
      });

      expect(seen).toEqual(token);
      expect(await store.accounts.findTokenByDigest(token.digest).then(credentialOf)).toEqual(token);
    });

    test('lists the tokens of an organization that are not revoked, oldest first, page by page', async () => {
      const store = await openEmpty();
      const { organization, owner, token: founding } = await aFoundedOrganization(store);
      const of = { organizationId: organization.id, userId: owner.id };
      const made = [1, 2, 3].map((n) => anApiToken({ ...of, createdAt: founding.createdAt + n }));
      await store.transact(organization.id, async ({ accounts }) => {
        for (const token of made) await accounts.insertToken(token);
        await accounts.revokeToken(made[1]!.id, 5);
      });
      await aFoundedOrganization(store);

      const all = await store.accounts.listTokens(organization.id, { limit: 10 });
      const after = { at: founding.createdAt, id: founding.id };
      const next = await store.accounts.listTokens(organization.id, { limit: 1, after });

      expect(all).toEqual([founding, made[0], made[2]]);
      expect(next).toEqual([made[0]]);
      expect(await store.accounts.listTokens(v7(), { limit: 10 })).toEqual([]);
    });

    test('lists revoked tokens on request, with the user who revoked them', async () => {
      const store = await openEmpty();
      const { organization, owner, token: founding } = await aFoundedOrganization(store);
      const user = await aMember(store, organization.id);
      const at = founding.createdAt;
      const [own, first, second] = [1, 2, 3].map((n) =>
        anApiToken({ organizationId: organization.id, userId: n === 1 ? owner.id : user.id, createdAt: at + n }),
      );
      await store.transact(organization.id, async ({ accounts }) => {
        for (const token of [own!, first!, second!]) await accounts.insertToken(token);
        await accounts.revokeToken(own!.id, 5);
        await accounts.revokeToken(first!.id, 6, user.id);
        await accounts.removeMember(user.id, 7, owner.id);
      });
      const revoked = [
        { ...own!, revokedAt: 5 },
        { ...first!, revokedAt: 6, revokedBy: user.id },
        { ...second!, revokedAt: 7, revokedBy: owner.id },
      ];

      const query = { includeRevoked: true, limit: 10 };

      expect(await store.accounts.listTokens(organization.id, query)).toEqual([founding, ...revoked]);
      expect(await store.accounts.listTokens(organization.id, { ...query, userId: user.id })).toEqual(revoked.slice(1));
      expect(await store.accounts.findTokens(organization.id, [own!.id, 'x', second!.id])).toHaveLength(2);
      expect(await store.accounts.findTokens(v7(), [own!.id])).toEqual([]);
    });

    test('lists the tokens of one user', async () => {
      const store = await openEmpty();
      const { organization } = await aFoundedOrganization(store);
      const user = await aMember(store, organization.id);
      const own = anApiToken({ organizationId: organization.id, userId: user.id });
      await store.transact(organization.id, async ({ accounts }) => accounts.insertToken(own));

      const query = { userId: user.id, limit: 10 };

      expect(await store.accounts.listTokens(organization.id, query)).toEqual([own]);
      const after = { at: own.createdAt, id: own.id };
      expect(await store.accounts.listTokens(organization.id, { ...query, after })).toEqual([]);
    });

    test('revokes a token once, and none of another organization', async () => {
      const store = await openEmpty();
      const [here, there] = [await aFoundedOrganization(store), await aFoundedOrganization(store)];
      expect(await store.accounts.findTokenByDigest(here.token.digest).then(credentialOf)).toEqual(here.token);

      const found = await store.transact(here.organization.id, async ({ accounts }) => {
        await accounts.revokeToken(there.token.id, 5);
        await accounts.revokeToken(here.token.id, 6);
        await accounts.revokeToken(here.token.id, 7);
        return [await accounts.findToken(there.token.id), await accounts.findToken('no uuid')];
      });

      expect(found).toEqual([undefined, undefined]);
      expect(await store.accounts.findTokenByDigest(there.token.digest).then(credentialOf)).toEqual(there.token);
      expect(await store.accounts.findTokenByDigest(here.token.digest).then(credentialOf)).toEqual({
        ...here.token,
        revokedAt: 6,
      });
    });

    test('counts the tokens of a user that are neither revoked nor expired, including those of the unit', async () => {
      const store = await openEmpty();
      const { organization, owner } = await aFoundedOrganization(store);
      const elsewhere = await aFoundedOrganization(store);
      const user = await aMember(store, organization.id);
      const of = { organizationId: organization.id, userId: user.id };
      const [lasting, ending, revoked] = [anApiToken(of), anApiToken({ ...of, expiresAt: 10 }), anApiToken(of)];

      const counts = await store.transact(organization.id, async ({ accounts }) => {
        for (const token of [lasting, ending, revoked]) await accounts.insertToken(token);
        await accounts.revokeToken(revoked.id, 5);
        return [
          await accounts.countLiveTokens(user.id, 9),
          await accounts.countLiveTokens(user.id, 10),
          await accounts.countLiveTokens(owner.id, 9),
          await accounts.countLiveTokens(elsewhere.owner.id, 9),
        ];
      });

      expect(counts).toEqual([2, 1, 1, 0]);
    });

    test('records the last use of a token to the minute', async () => {
      const store = await openEmpty();
      const { token } = await aFoundedOrganization(store);
      const used = () => store.accounts.findTokenByDigest(token.digest).then((found) => found?.credential.lastUsedAt);
      const at = token.createdAt + 5;

      store.accounts.noteTokenUse(token.id, at);
      store.accounts.noteTokenUse(token.id, at + 59_000_000);
      await vi.waitFor(async () => expect(await used()).toBe(at), PATIENT);
      store.accounts.noteTokenUse(token.id, at + 60_000_000);

      await vi.waitFor(async () => expect(await used()).toBe(at + 60_000_000), PATIENT);
    });
  });
}
