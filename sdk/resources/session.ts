import {
  changePassword,
  createSignInLink,
  getSession,
  getSignInLink,
  listSessions,
  redeemSignInLink,
  requestPasswordReset,
  resetPassword,
  revokeSession,
  signIn,
  signOut,
} from '../generated/sdk.gen.js';
import type {
  PasswordReset,
  PasswordResetAnswer,
  PasswordResetRequest,
  Session,
  SessionInfo,
  SessionsPage,
  SignInCode,
  SignInLink,
  SignInLinkPreview,
  SignInRequest,
} from '../generated/types.gen.js';
import type { CallOptions, PageQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import type { PasswordChange } from '../transport/requests.js';
import { idOf, nothing, parse, type Transport } from '../transport/transport.js';

/** The user and credential of the client, and its signed-in session. */
export class SessionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the user, the credential and the organization of the client.
   *
   * @example const { user, organization } = await client.session.get();
   */
  get(options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.callFor('getSession', options, getSession, (text, response) =>
      this.#remember(parse(text), response),
    );
  }

  /**
   * Starts a session. The client uses it instead of its token until `signOut`.
   *
   * @throws {UnauthenticatedError}
   * @example await client.session.signIn({ email: 'ana@example.com', password });
   */
  signIn(request: SignInRequest, options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.callFor(
      'signIn',
      options,
      (attempt) => signIn({ ...attempt, body: request }),
      (text, response) => this.#remember(parse(text), response),
    );
  }

  /**
   * Ends the session. The client uses its token again.
   *
   * @example await client.session.signOut();
   */
  signOut(options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor('signOut', options, signOut, () => this.#transport.credentials.signOut());
  }

  /**
   * Changes the password of the user and ends their other sessions.
   *
   * @example await client.session.changePassword({ currentPassword: password, newPassword });
   */
  changePassword(change: PasswordChange, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'changePassword',
      options,
      (attempt) => changePassword({ ...attempt, body: change }),
      nothing,
    );
  }

  /**
   * Has a link that sets a new password mailed to a person, if their address is known.
   *
   * @example await client.session.requestPasswordReset({ email: 'ana@example.com' });
   */
  requestPasswordReset(request: PasswordResetRequest, options: CallOptions = {}): ApiCall<PasswordResetAnswer> {
    return this.#transport.call('requestPasswordReset', options, (attempt) =>
      requestPasswordReset({ ...attempt, body: request }),
    );
  }

  /**
   * Sets a new password with a link, and starts a session as `signIn` does.
   *
   * @throws {NotFoundError}
   * @example await client.session.resetPassword({ code, newPassword });
   */
  resetPassword(reset: PasswordReset, options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.callFor(
      'resetPassword',
      options,
      (attempt) => resetPassword({ ...attempt, body: reset }),
      (text, response) => this.#remember(parse(text), response),
    );
  }

  /**
   * Creates a link that opens the dashboard as the user of the client. It works once.
   *
   * @example const { link } = await client.session.createLink();
   */
  createLink(options: CallOptions = {}): ApiCall<SignInLink> {
    return this.#transport.call('createSignInLink', options, createSignInLink);
  }

  /**
   * Returns whom a sign-in link signs in. The link stays valid.
   *
   * @throws {NotFoundError}
   * @example const { email } = await client.session.previewLink({ code });
   */
  previewLink(link: SignInCode, options: CallOptions = {}): ApiCall<SignInLinkPreview> {
    return this.#transport.call('getSignInLink', options, (attempt) => getSignInLink({ ...attempt, body: link }));
  }

  /**
   * Starts a session with a sign-in link, as `signIn` does.
   *
   * @throws {NotFoundError}
   * @example await client.session.redeemLink({ code });
   */
  redeemLink(link: SignInCode, options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.callFor(
      'redeemSignInLink',
      options,
      (attempt) => redeemSignInLink({ ...attempt, body: link }),
      (text, response) => this.#remember(parse(text), response),
    );
  }

  /**
   * Lists the sessions of the user of the client.
   *
   * @example for await (const session of client.session.list()) console.log(session.createdAt);
   */
  list(query: PageQuery = {}, options: CallOptions = {}): PagedCall<SessionsPage, Session> {
    return this.#transport.list(
      byNextCursor(({ sessions }: SessionsPage) => sessions),
      query,
      (page) => this.#transport.call('listSessions', options, (attempt) => listSessions({ ...attempt, query: page })),
    );
  }

  /**
   * Ends a session of the user.
   *
   * @throws {NotFoundError}
   * @example await client.session.revoke(sessionId);
   */
  revoke(sessionId: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'revokeSession',
      options,
      (attempt) => revokeSession({ ...attempt, path: { sessionId: idOf(sessionId) } }),
      nothing,
    );
  }

  /** Keeps the CSRF token. The cookie of a browser session does not contain it. */
  #remember(info: SessionInfo, response: Response): SessionInfo {
    if (info.csrfToken !== undefined) this.#transport.credentials.signIn(info.csrfToken, response);
    return info;
  }
}
