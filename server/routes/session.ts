import { formatTimestamp } from '../domain/timestamp.js';
import type { OpenRoute, PrincipalRoute, RouteDeps } from '../http/contract/route.js';
import type {
  ChangePasswordData,
  ChangePasswordResponses,
  CreateSignInLinkData,
  CreateSignInLinkResponses,
  GetSessionData,
  GetSessionResponses,
  GetSignInLinkData,
  GetSignInLinkResponses,
  ListSessionsData,
  ListSessionsResponses,
  RedeemSignInLinkData,
  RedeemSignInLinkResponses,
  RequestPasswordResetData,
  RequestPasswordResetResponses,
  ResetPasswordData,
  ResetPasswordResponses,
  RevokeSessionData,
  RevokeSessionResponses,
  SignInData,
  SignInResponses,
  SignOutData,
  SignOutResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { endedSessionCookie, sessionCookie } from '../http/request/caller/session-cookie.js';
import { presentMembership, presentSelf, presentSession } from '../http/response/present-accounts.js';
import { presentPage } from '../http/response/present-page.js';
import * as own from '../services/access/own-sessions.js';
import * as resets from '../services/access/password-reset.js';
import type { SignedIn } from '../services/access/session-start.js';
import * as sessions from '../services/access/sessions.js';
import * as links from '../services/access/sign-in-links.js';
import * as self from '../services/access/who-am-i.js';

export const signIn: OpenRoute<SignInData, SignInResponses> = async ({ body, origin }, deps) => {
  return presentSignedIn(deps, await sessions.signIn(deps, body, origin));
};

export const requestPasswordReset: OpenRoute<RequestPasswordResetData, RequestPasswordResetResponses> = async (
  { body, origin },
  deps,
) => {
  return { status: 202, body: { sendsMail: await resets.requestPasswordReset(deps, origin, body.email) } };
};

export const resetPassword: OpenRoute<ResetPasswordData, ResetPasswordResponses> = async ({ body, origin }, deps) => {
  return presentSignedIn(deps, await resets.resetPassword(deps, body, origin));
};

export const createSignInLink: PrincipalRoute<CreateSignInLinkData, CreateSignInLinkResponses> = async (
  { principal, origin },
  deps,
) => {
  const { link, expiresAt } = await links.createSignInLink(deps, principal, origin);
  return { status: 201, body: { link, expiresAt: formatTimestamp(expiresAt) } };
};

export const getSignInLink: OpenRoute<GetSignInLinkData, GetSignInLinkResponses> = async ({ body, origin }, deps) => {
  const { user, organizations, link } = await links.previewSignInLink(deps, body.code, origin);
  const { expiresAt, setsPassword } = link;
  return {
    status: 200,
    body: {
      email: user.email,
      organizations: organizations.map(presentMembership),
      expiresAt: formatTimestamp(expiresAt),
      setsPassword,
    },
  };
};

export const redeemSignInLink: OpenRoute<RedeemSignInLinkData, RedeemSignInLinkResponses> = async (
  { body, origin },
  deps,
) => {
  return presentSignedIn(deps, await links.redeemSignInLink(deps, body.code, origin));
};

export const getSession: PrincipalRoute<GetSessionData, GetSessionResponses> = async ({ principal, caller }, deps) => {
  return { status: 200, body: presentSelf(await self.whoAmI(deps, principal, caller)) };
};

export const signOut: PrincipalRoute<SignOutData, SignOutResponses> = async ({ principal }, deps) => {
  await sessions.signOut(deps, principal);
  return { status: 204, headers: { 'Set-Cookie': endedSessionCookie(deps.access) } };
};

export const listSessions: PrincipalRoute<ListSessionsData, ListSessionsResponses, 'limit'> = async (
  { principal, query },
  deps,
) => {
  const page = await own.listSessions(deps, principal, toPageQuery(query));
  const current = principal.type === 'session' ? principal.session.id : undefined;
  const listed = page.items.map((session) => presentSession(session, current));
  return { status: 200, body: { sessions: listed, ...presentPage(page) } };
};

export const revokeSession: PrincipalRoute<RevokeSessionData, RevokeSessionResponses> = async (
  { principal, path },
  deps,
) => {
  await own.revokeSession(deps, principal, path.sessionId);
  return { status: 204 };
};

export const changePassword: PrincipalRoute<ChangePasswordData, ChangePasswordResponses> = async (
  { principal, body },
  deps,
) => {
  await sessions.changePassword(deps, principal, body);
  return { status: 204 };
};

/** Answers the start of a session with its cookie. */
async function presentSignedIn(deps: RouteDeps, { principal, secret }: SignedIn) {
  const cookie = { 'Set-Cookie': sessionCookie(secret, deps.access) };
  return { status: 201, headers: cookie, body: presentSelf(await self.whoAmI(deps, principal)) } as const;
}
