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
  RedeemSignInLinkData,
  RedeemSignInLinkResponses,
  SignInData,
  SignInResponses,
  SignOutData,
  SignOutResponses,
} from '../http/contract/wire.js';
import { endedSessionCookie, sessionCookie } from '../http/request/session-cookie.js';
import { presentMembership, presentSelf } from '../http/response/present-accounts.js';
import type { SignedIn } from '../services/access/session-start.js';
import * as sessions from '../services/access/sessions.js';
import * as links from '../services/access/sign-in-links.js';
import * as self from '../services/access/who-am-i.js';

export const signIn: OpenRoute<SignInData, SignInResponses> = async ({ body, origin }, deps) => {
  return presentSignedIn(deps, await sessions.signIn(deps, body, origin));
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
