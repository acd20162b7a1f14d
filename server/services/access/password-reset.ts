import type { Deps } from '../../deps.js';
import type { Origin } from '../../domain/account/caller.js';
import { assertPassword } from '../../domain/account/password.js';
import { LINK_LIFETIME_US, passwordResetMail, signInLinkOf } from '../../domain/account/sign-in-link.js';
import { SignInLinkInvalidError } from '../../errors.js';
import type { User } from '../../ports/account-store.js';
import { admitAddress, admitAttempt, attemptOwner } from './attempts.js';
import type { SignedIn, SignInOrigin } from './session-start.js';
import { findValid, makeLink, recordLink, redeem } from './sign-in-links.js';

type RequestDeps = Pick<
  Deps,
  'store' | 'now' | 'newId' | 'rateLimiter' | 'secretBox' | 'mailer' | 'background' | 'access'
>;
type ResetDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'rateLimiter' | 'secretBox' | 'passwords'>;

/** Valid links of a person that set a password. More requests send no mail, so nobody can flood a mailbox. */
const MAX_LINKS = 3;

/** Actor of the audit event. Anybody may ask for a mail. */
const ANYBODY = { actor: { type: 'system', id: 'password reset' }, source: 'rest' } as const;

/**
 * Mails a person a link that sets a new password, if the service can send mail. The mail goes out after the response,
 * whose time therefore does not reveal if the address is known.
 *
 * @returns true if the service can send mail
 * @throws {RateLimitedError} whether or not the address is known
 */
export async function requestPasswordReset(deps: RequestDeps, origin: Origin, email: string): Promise<boolean> {
  const { user } = await admitAttempt(deps, origin.ip, email);
  if (user && deps.mailer) deps.background.run('the mail for a new password', () => mailLink(deps, origin, user));
  return deps.mailer !== undefined;
}

async function mailLink(deps: RequestDeps, origin: Origin, { id: userId, email }: User): Promise<void> {
  const { code, link } = makeLink(deps, { userId, setsPassword: true, lifetimeUs: LINK_LIFETIME_US });
  if (!(await deps.store.accounts.insertSignInLink(link, MAX_LINKS))) return;
  await recordLink(deps, { ...ANYBODY, ...origin }, userId);
  const text = { link: signInLinkOf(deps.access.publicUrl, code), expiresAt: link.expiresAt };
  await deps.mailer?.send({ to: email, ...passwordResetMail(text) });
}

/**
 * Sets a new password with a link, ends all sessions of the person, and starts a new one.
 *
 * @throws {UnprocessableError} for a password that is too short
 * @throws {SignInLinkInvalidError} the same for wrong, used and expired codes, and links that may not set a password
 */
export async function resetPassword(
  deps: ResetDeps,
  { code, newPassword }: { code: string; newPassword: string },
  origin: SignInOrigin,
): Promise<SignedIn> {
  await admitAddress(deps, origin.ip);
  assertPassword(newPassword, 'newPassword');
  const valid = await findValid(deps, code);
  if (!valid.link.setsPassword) throw new SignInLinkInvalidError();
  const hash = await deps.passwords.hash(newPassword, attemptOwner(origin.ip));
  return redeem(deps, valid, origin, hash);
}
