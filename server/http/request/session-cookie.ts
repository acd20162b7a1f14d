import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../deps.js';

/** Named in openapi.yaml. */
const NAME = 'memory_session';

/** The secret of a session, where a request carries one. The first counts where there are several. */
export function readSessionCookie({ cookie }: IncomingHttpHeaders): string | undefined {
  return cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1);
}

/**
 * The header that gives a browser its session. No script can read it, and no
 * other site can have it sent but by a link. It lasts as long as the browser;
 * the service ends it by itself.
 */
export function sessionCookie(secret: string, { secureCookies }: Pick<AccessPolicy, 'secureCookies'>): string {
  return `${NAME}=${secret}; Path=/; HttpOnly; SameSite=Lax${secureCookies ? '; Secure' : ''}`;
}

/** The header that takes it away again. */
export function endedSessionCookie(policy: Pick<AccessPolicy, 'secureCookies'>): string {
  return `${sessionCookie('', policy)}; Max-Age=0`;
}
