import type { Deps } from '../../deps.js';
import { MAX_IDLE_US } from '../../domain/account/session.js';
import { byCreation, type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import { NotFoundError } from '../../errors.js';
import type { Session } from '../../ports/account-store.js';
import type { Principal } from './principal.js';

/** Returns the sessions of the principal's user that have not ended, oldest first. */
export async function listSessions(
  { store, now }: Pick<Deps, 'store' | 'now'>,
  { userId }: Principal,
  page: PageQuery,
): Promise<Page<Session>> {
  const at = now();
  const query = { ...withOneMore(page), now: at, usedAfter: at - MAX_IDLE_US };
  return pageOf(await store.accounts.listSessions(userId, query), page.limit, byCreation);
}

/**
 * Ends a session of the principal's user, from the next request on.
 *
 * @throws {NotFoundError} for one that is unknown, ended, or of another user
 */
export async function revokeSession(
  { store }: Pick<Deps, 'store'>,
  { userId }: Principal,
  sessionId: string,
): Promise<void> {
  if (!(await store.accounts.deleteSessionOf(userId, sessionId))) throw new NotFoundError();
}
