import type { Deps } from '../../deps.js';
import type { Origin } from '../../domain/account/caller.js';
import { createSecret, csrfTokenOf, digestSecret, SESSION_LIFETIME_US } from '../../domain/account/session.js';
import type { Principal } from './principal.js';

/** Enough to recognize a browser. */
const MAX_USER_AGENT_LENGTH = 128;

/** A new session. Only its user gets the secret, and only this once. */
export interface SignedIn {
  principal: Extract<Principal, { type: 'session' }>;
  /** Value of the cookie. */
  secret: string;
}

/** The address and the software that a sign-in comes from. */
export type SignInOrigin = Pick<Origin, 'ip' | 'userAgent'>;

/** Makes a session of a user. It is not stored yet. */
export function makeSession(
  { now, newId }: Pick<Deps, 'now' | 'newId'>,
  userId: string,
  { ip, userAgent }: SignInOrigin,
): SignedIn {
  const secret = createSecret();
  const at = now();
  const session = {
    id: newId(),
    digest: digestSecret(secret),
    userId,
    createdAt: at,
    lastUsedAt: at,
    expiresAt: at + SESSION_LIFETIME_US,
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
  };
  return { principal: { type: 'session', userId, session, csrfToken: csrfTokenOf(secret) }, secret };
}
