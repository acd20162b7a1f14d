const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
/** Names of the session cookie: over HTTPS, and over plain HTTP. */
const SESSION_COOKIES = ['__Host-memory_session', 'memory_session'];
const CSRF_HEADER = 'X-CSRF-Token';

/** The credentials that an operation accepts: the token and the session, only the session, or none. */
export type Accepts = 'any' | 'session' | 'none';

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
    const cookie = pairs?.find(isSession);
    this.#session = { csrfToken, cookie: cookie ?? this.#session?.cookie };
  }

  /** Switches back to the token, if there is one. */
  signOut(): void {
    this.#session = undefined;
  }

  /** Adds the session, or else the token, to the headers of a request. */
  async addTo(headers: Headers, method: string, accepts: Accepts = 'any'): Promise<void> {
    if (accepts === 'none') return;
    if (this.#session) {
      const { cookie, csrfToken } = this.#session;
      if (cookie && !hasSession(headers)) headers.append('Cookie', cookie);
      if (method !== 'GET' && !headers.has(CSRF_HEADER)) headers.set(CSRF_HEADER, csrfToken);
      return;
    }
    if (accepts === 'session') return;
    const token = typeof this.#token === 'function' ? sendable(await this.#token()) : this.#token;
    if (token) headers.set('Authorization', `Bearer ${token}`);
  }
}

function hasSession(headers: Headers): boolean {
  return (headers.get('Cookie') ?? '').split(/; */).some(isSession);
}

/** Reports if a cookie, as `name=value`, is that of a session. */
function isSession(cookie: string): boolean {
  return SESSION_COOKIES.some((name) => cookie.startsWith(`${name}=`));
}

function sendable(token: string | undefined): string | undefined {
  const trimmed = token?.trim();
  // Rejected here, because fetch would quote the token in its own error.
  if (trimmed !== undefined && !VISIBLE_ASCII.test(trimmed)) {
    throw new TypeError('token is not an access token: it contains white space or characters that are not ASCII');
  }
  return trimmed;
}
