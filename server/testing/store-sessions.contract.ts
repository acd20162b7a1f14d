import { describe, expect, test } from 'vitest';
import { aFoundedOrganization, aMember, aSession, credentialOf } from './accounts.js';
import type { StoreOpening } from './store.contract.js';

/** Sessions of users, and the passwords that begin them. */
export function sessionsContract(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: sessions`, () => {
    test('keeps a session, its last use, and its end', async () => {
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

    test('forgets the expired sessions of a user who signs in again, and nobody else’s', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [old, valid, foreign] = [aSession(owner.id), aSession(owner.id, { expiresAt: 9e15 }), aSession(other.id)];
      for (const session of [old, valid, foreign]) await accounts.createSession(session);

      await accounts.createSession(aSession(owner.id, { createdAt: old.expiresAt, expiresAt: 9e15 }));

      expect(await accounts.findSession(old.digest).then(credentialOf)).toBeUndefined();
      expect(await accounts.findSession(valid.digest).then(credentialOf)).toEqual(valid);
      expect(await accounts.findSession(foreign.digest).then(credentialOf)).toEqual(foreign);
    });

    test('exchanges a password and ends the user’s sessions but the one named', async () => {
      const { accounts, owner, other } = await openWithAccounts();
      const [kept, ended, foreign] = [aSession(owner.id), aSession(owner.id), aSession(other.id)];
      for (const session of [kept, ended, foreign]) await accounts.createSession(session);

      await accounts.setPassword(owner.id, 'hash', kept.digest);

      expect(await accounts.findUser(owner.id)).toEqual({ ...owner, passwordHash: 'hash' });
      expect(await accounts.findSession(kept.digest).then(credentialOf)).toEqual(kept);
      expect(await accounts.findSession(ended.digest).then(credentialOf)).toBeUndefined();
      expect(await accounts.findSession(foreign.digest).then(credentialOf)).toEqual(foreign);
      expect(await accounts.findUser(other.id)).toEqual(other);
    });

    test('ends every session of the user when none is named', async () => {
      const { accounts, owner } = await openWithAccounts();
      const session = aSession(owner.id);
      await accounts.createSession(session);

      await accounts.setPassword(owner.id, 'hash');

      expect(await accounts.findSession(session.digest).then(credentialOf)).toBeUndefined();
    });
  });

  async function openWithAccounts() {
    const store = await openEmpty();
    const { organization, owner } = await aFoundedOrganization(store);
    return { accounts: store.accounts, owner, other: await aMember(store, organization.id) };
  }
}
