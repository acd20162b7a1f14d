import type { OpenRoute, PrincipalRoute } from '../http/contract/route.js';
import type {
  ChangePasswordData,
  ChangePasswordResponses,
  GetSessionData,
  GetSessionResponses,
  SignInData,
  SignInResponses,
  SignOutData,
  SignOutResponses,
} from '../http/contract/wire.js';
import { endedSessionCookie, sessionCookie } from '../http/request/session-cookie.js';
import { presentSelf } from '../http/response/present-accounts.js';
import * as sessions from '../services/access/sessions.js';
import * as self from '../services/access/who-am-i.js';

export const signIn: OpenRoute<SignInData, SignInResponses> = async ({ body, origin }, deps) => {
  const { principal, secret } = await sessions.signIn(deps, body, origin.ip);
  const cookie = { 'Set-Cookie': sessionCookie(secret, deps.access) };
  return { status: 201, headers: cookie, body: presentSelf(await self.whoAmI(deps, principal)) };
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
