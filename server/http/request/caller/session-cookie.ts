import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../../deps.js';
import { UnauthenticatedError } from '../../../errors.js';

type CookiePolicy = Pick<AccessPolicy, 'secureCookies'>;

/** Name of the cookie over plain HTTP, where browsers reject the other one. */
const PLAIN_NAME = 'memory_session';

/** Name of the cookie over HTTPS, defined in openapi.yaml. A browser accepts this prefix only from the host itself. */
const SECURE_NAME = `__Host-${PLAIN_NAME}`;
const NAMES = [PLAIN_NAME, SECURE_NAME];

/**
 * Returns the secret of the session in a request.
 *
 * @throws {UnauthenticatedError} for several session cookies, of which a neighbouring host may have planted one
 */
export function readSessionCookie({ cookie }: IncomingHttpHeaders, policy: CookiePolicy): string | undefined {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim());
  const [own, ...others] = pairs.filter((pair) => NAMES.some((name) => pair.startsWith(`${name}=`)));
  if (others.length > 0) {
    throw new UnauthenticatedError(
      'The request has several session cookies: delete the cookies of this site, then sign in',
    );
  }
  const prefix = `${nameOf(policy)}=`;
  return own?.startsWith(prefix) ? own.slice(prefix.length) : undefined;
}

/**
 * Returns the header that sets the session cookie. Scripts cannot read it, and other sites can have it sent only by a
 * link. It lasts until the browser closes; the service ends sessions by itself.
 */
export function sessionCookie(secret: string, policy: CookiePolicy): string {
  return `${nameOf(policy)}=${secret}; Path=/; HttpOnly; SameSite=Lax${policy.secureCookies ? '; Secure' : ''}`;
}

/** Returns the header that deletes the session cookie. */
export function endedSessionCookie(policy: CookiePolicy): string {
  return `${sessionCookie('', policy)}; Max-Age=0`;
}

function nameOf({ secureCookies }: CookiePolicy): string {
  return secureCookies ? SECURE_NAME : PLAIN_NAME;
}
