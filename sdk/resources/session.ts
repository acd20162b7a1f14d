import type { ApiCall } from '../calls.js';
import { changePassword, getSession, signIn, signOut } from '../generated/sdk.gen.js';
import type { PasswordChange, SessionInfo, SignInRequest } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import { nothing, parse, type Transport } from '../transport.js';

/** Who the client is to the service. */
export class SessionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The user, the credential and the organization that the service sees. */
  get(options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.callFor('getSession', options, getSession, (text, response) =>
      this.#remember(parse(text), response),
    );
  }

  /** Begins a session, in which the client acts from then on. @throws {UnauthenticatedError} */
  signIn(request: SignInRequest, options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.callFor(
      'signIn',
      options,
      (attempt) => signIn({ ...attempt, body: request }),
      (text, response) => this.#remember(parse(text), response),
    );
  }

  /** Ends the session that the client acts in. */
  signOut(options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor('signOut', options, signOut, () => this.#transport.credentials.signOut());
  }

  /** Sets the password of the user; their other sessions end. */
  changePassword(change: PasswordChange, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'changePassword',
      options,
      (attempt) => changePassword({ ...attempt, body: change }),
      nothing,
    );
  }

  /** The browser tells of a session by its cookie alone; the token against forgery must be kept here. */
  #remember(info: SessionInfo, response: Response): SessionInfo {
    if (info.csrfToken !== undefined) this.#transport.credentials.signIn(info.csrfToken, response);
    return info;
  }
}
