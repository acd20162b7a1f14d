import type { ApiCall } from '../calls.js';
import { changePassword, getSession, signIn, signOut } from '../generated/sdk.gen.js';
import type { PasswordChange, SessionInfo, SignInRequest } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import { nothing, type Transport } from '../transport.js';

/** Who the client is to the service. */
export class SessionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The user, the credential and the organization that the service sees. */
  get(options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.call('getSession', options, getSession);
  }

  /**
   * Signs a user in with a password. The session is a cookie, so this is for browsers, which keep it; the answer holds
   * what the header `X-CSRF-Token` of later writes has to say.
   */
  signIn(request: SignInRequest, options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.call('signIn', options, (attempt) => signIn({ ...attempt, body: request }));
  }

  /** Ends the session of the cookie. */
  signOut(options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor('signOut', options, signOut, nothing);
  }

  /** Changes the password of the user, whose other sessions end. */
  changePassword(change: PasswordChange, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'changePassword',
      options,
      (attempt) => changePassword({ ...attempt, body: change }),
      nothing,
    );
  }
}
