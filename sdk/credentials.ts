import type { Auth } from './generated/core/auth.gen.js';

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
/** Names of the session cookie: over HTTPS, and over plain HTTP. */
const SESSION_COOKIES = ['__Host-memory_session', 'memory_session'];
const CSRF_HEADER = 'X-CSRF-Token';

/** The credential of a client: its token or, after a sign-in, its session. */
export class Credentials {
  readonly #token: string | (() => string | Promise<string>) | undefined;
  /** The cookie is its name and value, joined by `=`. */
  #session: { csrfToken: string; cookie: string | undefined } | undefined;

  /** @throws {TypeError} if the token is not a valid header value */
  constructor(token: string | (() => string | Promise<string>) | undefined) {
    this.#token = typeof token === 'function' ? token : sendable(token);
  }

  /** Switches to the session of this response. A browser keeps the cookie itself and hides it from scripts. */
  signIn(csrfToken: string, { headers }: Pick<Response, 'headers'>): void {
    const pairs = headers.getSetCookie?.().map((set) => set.split(';')[0] ?? '');
    const cookie = pairs?.find((pair) => SESSION_COOKIES.some((name) => pair.startsWith(`${name}=`)));
    this.#session = { csrfToken, cookie: cookie ?? this.#session?.cookie };
  }

  /** Switches back to the token, if there is one. */
  signOut(): void {
    this.#session = undefined;
  }

  /** Returns the value for one of the security schemes of an operation. */
  async valueFor(auth: Auth): Promise<string | undefined> {
    const { scheme, in: place, name } = auth;
    if (scheme === 'bearer') {
      if (this.#session) return undefined;
      return typeof this.#token === 'function' ? sendable(await this.#token()) : this.#token;
    }
    if (place === 'cookie' && this.#session?.cookie !== undefined) {
      const [own = '', value] = this.#session.cookie.split('=');
      // The service named the cookie when it began the session.
      auth.name = own;
      return value;
    }
    if (place === 'cookie') return undefined;
    return name === CSRF_HEADER ? this.#session?.csrfToken : undefined;
  }
}

function sendable(token: string | undefined): string | undefined {
  const trimmed = token?.trim();
  // Rejected here, because fetch would quote the token in its own error.
  if (trimmed !== undefined && !VISIBLE_ASCII.test(trimmed)) throw new TypeError('token is not an access token');
  return trimmed;
}
