import { describe, expect, test } from 'vitest';
import { aFoundedOrganization, aMember, aSession, aSignInLink, credentialOf } from '../../fixtures/accounts.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests the links that start sessions without a password. */
export function signInLinksSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: sign-in links`, () => {
    test('stores a link, and starts one session with it', async () => {
      const { accounts, owner } = await openWithAccounts();
      const link = aSignInLink(owner.id, { setsPassword: true });
      const session = aSession(owner.id, { ip: '192.0.2.1', userAgent: 'browser' });
      const signInPlaces = [{ digest: 'a', at: 1 }];

      const isStored = await accounts.insertSignInLink(link);
      const found = await accounts.findSignInLink(link.digest);
      const isRedeemed = await accounts.redeemSignInLink(link.digest, { session, signInPlaces });
      const again = await accounts.redeemSignInLink(link.digest, { session: aSession(owner.id), signInPlaces: [] });

      expect([isStored, isRedeemed, again]).toEqual([true, true, false]);
      expect(found).toEqual(link);
      expect(await accounts.findSignInLink(link.digest)).toBeUndefined();
      expect(await accounts.findSession(session.digest).then(credentialOf)).toEqual(session);
      expect(await accounts.findUser(owner.id)).toEqual({ ...owner, signInPlaces });
    });

    test('starts one session if several requests use one link at once', async () => {
      const { accounts, owner } = await openWithAccounts();
      const link = aSignInLink(owner.id);
      await accounts.insertSignInLink(link);
      const sessions = Array.from({ length: 5 }, () => aSession(owner.id));

      const redeemed = await Promise.all(
        sessions.map((session) => accounts.redeemSignInLink(link.digest, { session, signInPlaces: [] })),
      );

      const found = await Promise.all(sessions.map(({ digest }) => accounts.findSession(digest)));
      expect(redeemed.filter(Boolean)).toHaveLength(1);
      expect(found.map((session) => session !== undefined)).toEqual(redeemed);
    });

    test('starts no session with an expired link, and none of another user', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const link = aSignInLink(owner.id);
      await accounts.insertSignInLink(link);
      const late = aSession(owner.id, { createdAt: link.expiresAt });
      const foreign = aSession(other.id);

      const redeemed = [
        await accounts.redeemSignInLink(link.digest, { session: late, signInPlaces: [] }),
        await accounts.redeemSignInLink(link.digest, { session: foreign, signInPlaces: [] }),
      ];

      expect(redeemed).toEqual([false, false]);
      expect(await accounts.findSignInLink(link.digest)).toEqual(link);
      expect(await accounts.findSession(late.digest)).toBeUndefined();
      expect(await accounts.findSession(foreign.digest)).toBeUndefined();
    });

    test('deletes the expired links and sessions of a user, and nothing of anybody else', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [old, foreign] = [aSignInLink(owner.id), aSignInLink(other.id)];
      const valid = aSignInLink(owner.id, { createdAt: old.expiresAt, expiresAt: 9e15 });
      const ended = aSession(owner.id);
      for (const link of [old, foreign]) await accounts.insertSignInLink(link);
      await accounts.createSession(ended);

      await accounts.insertSignInLink(valid);
      const session = aSession(owner.id, { createdAt: ended.expiresAt, expiresAt: 9e15 });
      await accounts.redeemSignInLink(valid.digest, { session, signInPlaces: [] });

      expect(await accounts.findSignInLink(old.digest)).toBeUndefined();
      expect(await accounts.findSignInLink(foreign.digest)).toEqual(foreign);
      expect(await accounts.findSession(ended.digest)).toBeUndefined();
    });

    test('deletes the links of all users that ended before a time, the earliest first, in steps', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const endingAt = (userId: string, expiresAt: number) => aSignInLink(userId, { createdAt: 1, expiresAt });
      const ended = [endingAt(owner.id, 10), endingAt(other.id, 20), endingAt(owner.id, 30)];
      const left = [endingAt(owner.id, 40), endingAt(other.id, 50)];
      for (const link of [...left, ...ended.toReversed()]) await accounts.insertSignInLink(link);
      const remaining = async () => {
        const found = await Promise.all([...ended, ...left].map(({ digest }) => accounts.findSignInLink(digest)));
        return found.filter((link) => link !== undefined);
      };

      const mayBeMore = [await accounts.deleteEndedSignIns(40, 2)];
      const afterOneStep = await remaining();
      mayBeMore.push(await accounts.deleteEndedSignIns(40, 2), await accounts.deleteEndedSignIns(40, 2));

      expect(mayBeMore).toEqual([true, false, false]);
      expect(afterOneStep).toEqual([ended[2], ...left]);
      expect(await remaining()).toEqual(left);
    });

    test('stores at most the given number of links that set a password', async () => {
      const { accounts, owner } = await openWithAccounts();
      const links = [true, true, false, true].map((setsPassword) => aSignInLink(owner.id, { setsPassword }));

      const stored = [];
      for (const link of links) stored.push(await accounts.insertSignInLink(link, link.setsPassword ? 2 : undefined));

      expect(stored).toEqual([true, true, true, false]);
      expect(await accounts.findSignInLink(links[3]!.digest)).toBeUndefined();
    });

    test('sets a password with a link that allows it, and ends the user’s sessions and links', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [used, left, weak] = [
        aSignInLink(owner.id, { setsPassword: true }),
        aSignInLink(owner.id, { setsPassword: true }),
        aSignInLink(owner.id),
      ];
      const foreign = aSignInLink(other.id);
      for (const link of [used, left, weak, foreign]) await accounts.insertSignInLink(link);
      const [before, after, foreignSession] = [aSession(owner.id), aSession(owner.id), aSession(other.id)];
      for (const session of [before, foreignSession]) await accounts.createSession(session);
      const redemption = { session: after, signInPlaces: [], passwordHash: 'hash' };

      const isRefused = await accounts.redeemSignInLink(weak.digest, redemption);
      const isRedeemed = await accounts.redeemSignInLink(used.digest, redemption);

      expect([isRefused, isRedeemed]).toEqual([false, true]);
      expect(await accounts.findUser(owner.id)).toEqual({ ...owner, passwordHash: 'hash', signInPlaces: [] });
      expect(await accounts.findSession(before.digest)).toBeUndefined();
      expect(await accounts.findSession(after.digest).then(credentialOf)).toEqual(after);
      expect(await accounts.findSession(foreignSession.digest).then(credentialOf)).toEqual(foreignSession);
      expect(await accounts.findSignInLink(left.digest)).toBeUndefined();
      expect(await accounts.findSignInLink(weak.digest)).toBeUndefined();
      expect(await accounts.findSignInLink(foreign.digest)).toEqual(foreign);
    });

    test('leaves no link and no session by a link when the password is replaced at the same moment', async () => {
      const { accounts, owner } = await openWithAccounts();
      await accounts.exchangePassword(owner.id, { from: undefined, to: 'hash 0' });

      for (let round = 0; round < 10; round += 1) {
        const link = aSignInLink(owner.id);
        await accounts.insertSignInLink(link);
        const session = aSession(owner.id);
        const [isRedeemed] = await Promise.all([
          accounts.redeemSignInLink(link.digest, { session, signInPlaces: [] }),
          accounts.exchangePassword(owner.id, { from: `hash ${round}`, to: `hash ${round + 1}` }),
        ]);

        expect(await accounts.findSignInLink(link.digest), `redeemed: ${isRedeemed}`).toBeUndefined();
        expect(await accounts.findSession(session.digest), `redeemed: ${isRedeemed}`).toBeUndefined();
      }
    });
  });

  async function openWithAccounts() {
    const store = await openEmpty();
    const { organization, owner } = await aFoundedOrganization(store);
    return { accounts: store.accounts, owner, other: await aMember(store, organization.id) };
  }
}
