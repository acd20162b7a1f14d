import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import type { ApiToken, Founding, Identified, Invitation, Session, User } from '../ports/account-store.js';
import type { Store } from '../ports/store.js';
import { aFounding } from './memories.js';

const AT = 1_700_000_000_000_000;

/** A founded organization on a store. */
export async function aFoundedOrganization(store: Store): Promise<Founding> {
  const founding = aFounding(v7());
  await store.accounts.createOrganization(founding);
  return founding;
}

/** Of what somebody was identified by, the credential alone. */
export function credentialOf<Credential>(found: Identified<Credential> | undefined): Credential | undefined {
  return found?.credential;
}

export function aUser(overrides: Partial<User> = {}): User {
  const id = v7();
  return { id, email: `${id}@example.test`, ...overrides };
}

/** A new user who is a member of an organization. */
export async function aMember(store: Store, organizationId: string, overrides: Partial<User> = {}): Promise<User> {
  const user = aUser(overrides);
  await store.transact(organizationId, async ({ accounts }) => {
    await accounts.insertUser(user);
    await accounts.insertMember({ userId: user.id, role: 'member', joinedAt: AT + 1 });
  });
  return user;
}

export function anApiToken(overrides: Partial<ApiToken> & Pick<ApiToken, 'organizationId' | 'userId'>): ApiToken {
  const id = v7();
  return {
    id,
    name: 'a token',
    digest: sha256(id),
    prefix: 'msk_abcd',
    lastFour: 'wxyz',
    abilities: ['memory:search'],
    createdAt: AT,
    ...overrides,
  };
}

export function anInvitation(
  overrides: Partial<Invitation> & Pick<Invitation, 'organizationId' | 'invitedBy'>,
): Invitation {
  const id = v7();
  return {
    id,
    email: `${id}@example.test`,
    role: 'member',
    digest: sha256(id),
    createdAt: AT,
    expiresAt: AT + 1_000_000,
    ...overrides,
  };
}

export function aSession(userId: string, overrides: Partial<Session> = {}): Session {
  const id = v7();
  return { id, digest: sha256(id), userId, createdAt: AT, lastUsedAt: AT, expiresAt: AT + 1_000_000, ...overrides };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
