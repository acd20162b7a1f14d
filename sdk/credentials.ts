import type { Auth } from './generated/core/auth.gen.js';

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const SESSION_COOKIE = 'memory_session';
const CSRF_HEADER = 'X-CSRF-Token';

/** The credential of a client: its token or, after a sign-in, its session. */
export class Credentials {
  readonly #token: string | (() => string | Promise<string>) | undefined;
  #session: { csrfToken: string; cookie: string | undefined } | undefined;

  /** @throws {TypeError} if the token is not a valid header value */
  constructor(token: string | (() => string | Promise<string>) | undefined) {
    this.#token = typeof token === 'function' ? token : sendable(token);
  }

  /** Switches to the session of this response. A browser keeps the cookie itself and hides it from scripts. */
  signIn(csrfToken: string, { headers }: Pick<Response, 'headers'>): void {
    const set = headers.getSetCookie?.().find((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`));
    const cookie = set?.slice(SESSION_COOKIE.length + 1).split(';')[0];
    this.#session = { csrfToken, cookie: cookie ?? this.#session?.cookie };
  }

  /** Switches back to the token, if there is one. */
  signOut(): void {
    this.#session = undefined;
  }

  /** Returns the value for one of the security schemes of an operation. */
  async valueFor({ scheme, in: place, name }: Auth): Promise<string | undefined> {
    if (scheme === 'bearer') {
      if (this.#session) return undefined;
      return typeof this.#token === 'function' ? sendable(await this.#token()) : this.#token;
    }
    if (place === 'cookie') return this.#session?.cookie;
    return name === CSRF_HEADER ? this.#session?.csrfToken : undefined;
  }
}

function sendable(token: string | undefined): string | undefined {
  const trimmed = token?.trim();
  // Rejected here, because fetch would quote the token in its own error.
  if (trimmed !== undefined && !VISIBLE_ASCII.test(trimmed)) throw new TypeError('token is not an access token');
  return trimmed;
}
