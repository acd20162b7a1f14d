import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../deps.js';

/** Defined in openapi.yaml. */
const NAME = 'memory_session';

/** Returns the secret of the session in a request: the first, if there are several. */
export function readSessionCookie({ cookie }: IncomingHttpHeaders): string | undefined {
  return cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1);
}

/**
 * Returns the header that sets the session cookie. Scripts cannot read it, and other sites can have it sent only by a
 * link. It lasts until the browser closes; the service ends sessions by itself.
 */
export function sessionCookie(secret: string, { secureCookies }: Pick<AccessPolicy, 'secureCookies'>): string {
  return `${NAME}=${secret}; Path=/; HttpOnly; SameSite=Lax${secureCookies ? '; Secure' : ''}`;
}

/** Returns the header that deletes the session cookie. */
export function endedSessionCookie(policy: Pick<AccessPolicy, 'secureCookies'>): string {
  return `${sessionCookie('', policy)}; Max-Age=0`;
}
