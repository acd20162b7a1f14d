import type { Actor, Source } from '../../domain/account/audit-event.js';
import type { ApiToken, Identified, Session, Standing } from '../../ports/account-store.js';

/** An authenticated token or session, before its organization is known. */
export type Principal =
  | { type: 'token'; userId: string; token: ApiToken }
  | { type: 'session'; userId: string; session: Session; csrfToken: string };

/** A principal, and its standings in the organizations that a request may be for. */
export interface Identity<Kind extends Principal = Principal> {
  principal: Kind;
  standings: readonly Standing[];
}

export function tokenIdentity({ credential, standings }: Identified<ApiToken>): Identity {
  return { principal: { type: 'token', userId: credential.userId, token: credential }, standings };
}

/** Returns a principal as the actor of audit events, and the surface that it uses. */
export function actingAs(principal: Principal): { actor: Actor; source: Source } {
  const { userId } = principal;
  return principal.type === 'token'
    ? { actor: { type: 'token', id: principal.token.id, userId }, source: 'rest' }
    : { actor: { type: 'user', id: userId, userId }, source: 'dashboard' };
}

/** Returns the id that rate limits and the log use for a caller: the token, or the user of a session (section 8). */
export function credentialIdOf(principal: Principal): string {
  return principal.type === 'token' ? principal.token.id : principal.userId;
}
