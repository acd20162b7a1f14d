import type { ApiToken, Session } from '../ports/account-store.js';

/** Whoever proved to be somebody, before it is known in which organization they act. */
export type Principal =
  | { type: 'token'; userId: string; token: ApiToken }
  | { type: 'session'; userId: string; session: Session; csrfToken: string };

/** Somebody who came with a token. */
export function tokenPrincipal(token: ApiToken): Principal {
  return { type: 'token', userId: token.userId, token };
}

/** What rate limits count by, and the log knows the caller by: the token, or the user of a session (section 8). */
export function credentialIdOf(principal: Principal): string {
  return principal.type === 'token' ? principal.token.id : principal.userId;
}
