import type { Caller } from '../../domain/account/caller.js';
import { ForbiddenError } from '../../errors.js';

/**
 * Returns the user on whose behalf a request comes.
 *
 * @throws {ForbiddenError} `owner_required` for callers without a user, such as the service itself
 */
export function userOf({ actor }: Pick<Caller, 'actor'>): string {
  if (actor.userId !== undefined) return actor.userId;
  throw new ForbiddenError('owner_required', 'This operation needs a user: use a token or a session');
}
