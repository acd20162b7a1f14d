import type { Deps } from '../../deps.js';
import { assertPassword } from '../../domain/account/password.js';
import {
  csrfTokenOf,
  digestSecret,
  isSameText,
  isSessionOver,
  isWellFormedSecret,
  SESSION_TOUCH_INTERVAL_US,
} from '../../domain/account/session.js';
import { rememberPlace } from '../../domain/account/sign-in-places.js';
import { ForbiddenError, UnauthenticatedError, UnprocessableError } from '../../errors.js';
import type { User } from '../../ports/account-store.js';
import { assertReachesAll } from './access.js';
import { admitAttempt, attemptOwner, countPasswordCheck } from './attempts.js';
import type { Identity, Principal } from './principal.js';
import { makeSession, type SignedIn, type SignInOrigin } from './session-start.js';

type SessionDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'rateLimiter' | 'passwords' | 'secretBox'>;

const REFUSED = 'The address or the password is wrong';

/**
 * Starts a session.
 *
 * @throws {UnauthenticatedError} the same, after the same work, for an unknown address and a wrong password
 */
export async function signIn(
  deps: SessionDeps,
  { email, password }: { email: string; password: string },
  origin: SignInOrigin,
): Promise<SignedIn> {
  const { ip } = origin;
  const { user, places } = await admitAttempt(deps, ip, email);
  const isRight = await deps.passwords.verify(password, user?.passwordHash, attemptOwner(ip));
  if (!user || !isRight) throw new UnauthenticatedError(REFUSED);

  const signedIn = makeSession(deps, user.id, origin);
  const { session } = signedIn.principal;
  // The store creates no session if the password changed during the check.
  const signInPlaces = rememberPlace(user.signInPlaces ?? [], places, session.createdAt);
  if (!(await deps.store.accounts.createSession(session, user.passwordHash, signInPlaces))) {
    throw new UnauthenticatedError(REFUSED);
  }
  return signedIn;
}

/**
 * Returns the session behind a cookie, and the standings of its user.
 *
 * @param header names an organization
 * @throws {UnauthenticatedError} the same for every reason
 */
export async function authenticateSession(
  { store, now }: Pick<Deps, 'store' | 'now'>,
  secret: string,
  header: string | undefined,
): Promise<Identity<SignedIn['principal']>> {
  if (!isWellFormedSecret(secret)) throw new UnauthenticatedError();
  const digest = digestSecret(secret);
  const found = await store.accounts.findSession(digest, header?.toLowerCase());
  const session = found?.credential;
  const at = now();
  if (!session || isSessionOver(session, at)) throw new UnauthenticatedError();
  if (at - session.lastUsedAt >= SESSION_TOUCH_INTERVAL_US) await store.accounts.touchSession(digest, at);
  const principal = { type: 'session', userId: session.userId, session, csrfToken: csrfTokenOf(secret) } as const;
  return { principal, standings: found.standings };
}

/**
 * Rejects a request without the CSRF token of its session. Another site can make a browser send the cookie, but not
 * this token.
 *
 * @throws {ForbiddenError} `csrf_token_invalid`
 */
export function assertOwnPage({ csrfToken }: { csrfToken: string }, header: string | undefined): void {
  if (header !== undefined && isSameText(header, csrfToken)) return;
  throw new ForbiddenError('csrf_token_invalid', 'Send the csrfToken of the session in the header X-CSRF-Token');
}

export async function signOut({ store }: Pick<Deps, 'store'>, principal: Principal): Promise<void> {
  if (principal.type === 'session') await store.accounts.deleteSession(principal.session.digest);
}

interface PasswordChange {
  currentPassword?: string | undefined;
  newPassword: string;
}

/**
 * Sets the password of the principal's user, ends all their other sessions and voids their links. The current password is required if
 * there is one; a user who was created from the shell has none.
 *
 * @throws {ForbiddenError} `organization_forbidden` for a bound token of a user who belongs to other organizations too
 * @throws {UnprocessableError} for a new password that is too short, and a current one that is missing, wrong or
 *   changed meanwhile
 */
export async function changePassword(
  deps: SessionDeps,
  principal: Principal,
  { currentPassword, newPassword }: PasswordChange,
): Promise<void> {
  const user = await deps.store.accounts.findUser(principal.userId);
  if (!user) throw new UnauthenticatedError();
  assertReachesAll(principal, await deps.store.accounts.membershipsOf(user.id));
  assertPassword(newPassword, 'newPassword');
  await assertCurrentPassword(deps, user, currentPassword);
  const hash = await deps.passwords.hash(newPassword, { kind: 'person', id: user.id });
  const kept = principal.type === 'session' ? principal.session.digest : undefined;
  const change = { from: user.passwordHash, to: hash };
  if (!(await deps.store.accounts.exchangePassword(user.id, change, kept))) throw wrongPassword();
}

async function assertCurrentPassword(
  deps: Pick<Deps, 'passwords' | 'rateLimiter' | 'secretBox'>,
  { id, passwordHash }: User,
  currentPassword: string | undefined,
): Promise<void> {
  if (passwordHash === undefined) return;
  await countPasswordCheck(deps, id);
  if (await deps.passwords.verify(currentPassword ?? '', passwordHash, { kind: 'person', id })) return;
  throw wrongPassword();
}

function wrongPassword(): UnprocessableError {
  const message = 'must be your current password';
  return new UnprocessableError(`currentPassword ${message}`, [{ path: 'currentPassword', message }]);
}
