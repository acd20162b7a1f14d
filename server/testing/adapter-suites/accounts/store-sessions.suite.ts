import { describe, expect, test } from 'vitest';
import type { Session } from '../../../ports/account-store.js';
import { aFoundedOrganization, aMember, aSession, aSignInLink, credentialOf } from '../../fixtures/accounts.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests sessions and the passwords that start them. */
export function sessionsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: sessions`, () => {
    test('stores a session, its last use, and its end', async () => {
      const { accounts, ...store } = await openWithAccounts();
      const session = aSession(store.owner.id);

      await accounts.createSession(session);
      const made = await accounts.findSession(session.digest).then(credentialOf);
      await accounts.touchSession(session.digest, session.createdAt + 5);
      const touched = await accounts.findSession(session.digest).then(credentialOf);
      await accounts.deleteSession(session.digest);
      await accounts.deleteSession(session.digest);

      expect(made).toEqual(session);
      expect(touched).toEqual({ ...session, lastUsedAt: session.createdAt + 5 });
      expect(await accounts.findSession(session.digest).then(credentialOf)).toBeUndefined();
    });

    test('deletes the expired sessions of a user who signs in again, and of nobody else', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [old, valid, foreign] = [aSession(owner.id), aSession(owner.id, { expiresAt: 9e15 }), aSession(other.id)];
      for (const session of [old, valid, foreign]) await accounts.createSession(session);

      await accounts.createSession(aSession(owner.id, { createdAt: old.expiresAt, expiresAt: 9e15 }));

      expect(await accounts.findSession(old.digest).then(credentialOf)).toBeUndefined();
      expect(await accounts.findSession(valid.digest).then(credentialOf)).toEqual(valid);
      expect(await accounts.findSession(foreign.digest).then(credentialOf)).toEqual(foreign);
    });

    test('deletes the sessions of all users that ended before a time, the earliest first, in steps', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const endingAt = (userId: string, expiresAt: number) => aSession(userId, { createdAt: 1, expiresAt });
      const ended = [endingAt(owner.id, 10), endingAt(other.id, 20), endingAt(owner.id, 30)];
      const left = [endingAt(owner.id, 40), endingAt(other.id, 50)];
      for (const session of [...left, ...ended.toReversed()]) await accounts.createSession(session);
      const remaining = async () => {
        const all = [...ended, ...left];
        const found = await Promise.all(all.map(({ digest }) => accounts.findSession(digest).then(credentialOf)));
        return found.filter((session) => session !== undefined);
      };

      const mayBeMore = [await accounts.deleteEndedSignIns(40, 2)];
      const afterOneStep = await remaining();
      mayBeMore.push(await accounts.deleteEndedSignIns(40, 2), await accounts.deleteEndedSignIns(40, 2));

      expect(mayBeMore).toEqual([true, false, false]);
      expect(afterOneStep).toEqual([ended[2], ...left]);
      expect(await remaining()).toEqual(left);
    });

    test('deletes ended sessions and links once if several steps run at the same time', async () => {
      const { accounts, owner } = await openWithAccounts();
      const sessions = Array.from({ length: 20 }, () => aSession(owner.id, { createdAt: 1, expiresAt: 10 }));
      const links = Array.from({ length: 20 }, () => aSignInLink(owner.id, { createdAt: 1, expiresAt: 10 }));
      const [session, link] = [aSession(owner.id, { createdAt: 1 }), aSignInLink(owner.id, { createdAt: 1 })];
      for (const each of [...sessions, session]) await accounts.createSession(each);
      for (const each of [...links, link]) await accounts.insertSignInLink(each);

      await Promise.all(Array.from({ length: 3 }, () => accounts.deleteEndedSignIns(11, 50)));

      const found = await Promise.all(sessions.map(({ digest }) => accounts.findSession(digest)));
      const foundLinks = await Promise.all(links.map(({ digest }) => accounts.findSignInLink(digest)));
      expect([...found, ...foundLinks].filter((each) => each !== undefined)).toEqual([]);
      expect(await accounts.findSession(session.digest).then(credentialOf)).toEqual(session);
      expect(await accounts.findSignInLink(link.digest)).toEqual(link);
    });

    test('lists the sessions of a user that have not ended, by creation, in pages', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const made = [3, 1, 2].map((createdAt) => aSession(owner.id, { createdAt, lastUsedAt: 50, expiresAt: 100 }));
      const [third, first, second] = made as [Session, Session, Session];
      const idle = aSession(owner.id, { createdAt: 4, lastUsedAt: 20, expiresAt: 100 });
      const expired = aSession(owner.id, { createdAt: 5, lastUsedAt: 50, expiresAt: 60 });
      const foreign = aSession(other.id, { createdAt: 1, lastUsedAt: 50, expiresAt: 100 });
      for (const session of [...made, idle, expired, foreign]) await accounts.createSession(session);
      const inUse = { now: 60, usedAfter: 20 };

      const page = await accounts.listSessions(owner.id, { ...inUse, limit: 2 });
      const after = { at: second.createdAt, id: second.id };
      const rest = await accounts.listSessions(owner.id, { ...inUse, after, limit: 2 });

      expect(page).toEqual([first, second]);
      expect(rest).toEqual([third]);
    });

    test('ends a session of the user by its id, and no other one', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [ended, kept, foreign] = [aSession(owner.id), aSession(owner.id), aSession(other.id)];
      for (const session of [ended, kept, foreign]) await accounts.createSession(session);

      const isEnded = [
        await accounts.deleteSessionOf(owner.id, ended.id),
        await accounts.deleteSessionOf(owner.id, ended.id),
        await accounts.deleteSessionOf(owner.id, foreign.id),
        await accounts.deleteSessionOf(owner.id, kept.digest),
      ];

      expect(isEnded).toEqual([true, false, false, false]);
      expect(await accounts.findSession(ended.digest)).toBeUndefined();
      expect(await accounts.findSession(kept.digest).then(credentialOf)).toEqual(kept);
      expect(await accounts.findSession(foreign.digest).then(credentialOf)).toEqual(foreign);
    });

    test('replaces a password and ends the user’s sessions except the named one', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [kept, ended, foreign] = [aSession(owner.id), aSession(owner.id), aSession(other.id)];
      for (const session of [kept, ended, foreign]) await accounts.createSession(session);

      const isChanged = await accounts.exchangePassword(owner.id, { from: undefined, to: 'hash' }, kept.digest);

      expect(isChanged).toBe(true);
      expect(await accounts.findUser(owner.id)).toEqual({ ...owner, passwordHash: 'hash' });
      expect(await accounts.findSession(kept.digest).then(credentialOf)).toEqual(kept);
      expect(await accounts.findSession(ended.digest).then(credentialOf)).toBeUndefined();
      expect(await accounts.findSession(foreign.digest).then(credentialOf)).toEqual(foreign);
      expect(await accounts.findUser(other.id)).toEqual(other);
    });

    test('stores where a user signed in from, only with the session', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const places = [
        { digest: 'a', at: 1 },
        { digest: 'b', at: 0 },
      ];

      const isBegun = await accounts.createSession(aSession(owner.id), undefined, places);
      const isRefused = await accounts.createSession(aSession(owner.id), 'another hash', [{ digest: 'c', at: 2 }]);
      await accounts.createSession(aSession(owner.id));

      expect([isBegun, isRefused]).toEqual([true, false]);
      expect(await accounts.findUser(owner.id)).toEqual({ ...owner, signInPlaces: places });
      expect(await accounts.findUserByEmail(owner.email)).toEqual({ ...owner, signInPlaces: places });
      expect(await accounts.findUser(other.id)).toEqual(other);
    });

    test('ends every session of the user if none is named', async () => {
      const { accounts, owner } = await openWithAccounts();
      const session = aSession(owner.id);
      await accounts.createSession(session);

      await accounts.exchangePassword(owner.id, { from: undefined, to: 'hash' });

      expect(await accounts.findSession(session.digest).then(credentialOf)).toBeUndefined();
    });

    test('starts no session with a replaced password, and does not replace it a second time', async () => {
      const { accounts, owner } = await openWithAccounts();
      await accounts.exchangePassword(owner.id, { from: undefined, to: 'first' });
      const [kept, late] = [aSession(owner.id), aSession(owner.id)];
      expect(await accounts.createSession(kept, 'first')).toBe(true);

      await accounts.exchangePassword(owner.id, { from: 'first', to: 'second' }, kept.digest);
      const isBegun = await accounts.createSession(late, 'first');
      const isExchanged = [
        await accounts.exchangePassword(owner.id, { from: 'first', to: 'third' }),
        await accounts.exchangePassword(owner.id, { from: undefined, to: 'third' }),
      ];

      expect([isBegun, ...isExchanged]).toEqual([false, false, false]);
      expect(await accounts.findSession(late.digest)).toBeUndefined();
      expect(await accounts.findUser(owner.id)).toEqual({ ...owner, passwordHash: 'second' });
      expect(await accounts.findSession(kept.digest).then(credentialOf)).toEqual(kept);
    });

    test('leaves no session of a password that is replaced at the same moment', async () => {
      const { accounts, owner } = await openWithAccounts();
      await accounts.exchangePassword(owner.id, { from: undefined, to: 'hash 0' });

      for (let round = 0; round < 10; round += 1) {
        const from = `hash ${round}`;
        const sessions = Array.from({ length: 3 }, () => aSession(owner.id));
        await Promise.all([
          ...sessions.map((session) => accounts.createSession(session, from)),
          accounts.exchangePassword(owner.id, { from, to: `hash ${round + 1}` }),
        ]);

        const left = await Promise.all(sessions.map(({ digest }) => accounts.findSession(digest)));
        expect(left).toEqual([undefined, undefined, undefined]);
      }
    });
  });

  async function openWithAccounts() {
    const store = await openEmpty();
    const { organization, owner } = await aFoundedOrganization(store);
    return { accounts: store.accounts, owner, other: await aMember(store, organization.id) };
  }
}
