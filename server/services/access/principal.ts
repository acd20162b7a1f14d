import type { ApiToken, Identified, Session, Standing } from '../../ports/account-store.js';

/** Whoever proved to be somebody, before it is known in which organization they act. */
export type Principal =
  | { type: 'token'; userId: string; token: ApiToken }
  | { type: 'session'; userId: string; session: Session; csrfToken: string };

/** Somebody who proved to be somebody, and their standings in the organizations that a request may be for. */
export interface Identity<Kind extends Principal = Principal> {
  principal: Kind;
  standings: readonly Standing[];
}

/** Somebody who came with a token. */
export function tokenIdentity({ credential, standings }: Identified<ApiToken>): Identity {
  return { principal: { type: 'token', userId: credential.userId, token: credential }, standings };
}

/** What rate limits count by, and the log knows the caller by: the token, or the user of a session (section 8). */
export function credentialIdOf(principal: Principal): string {
  return principal.type === 'token' ? principal.token.id : principal.userId;
}
