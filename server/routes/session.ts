import { presentSelf } from '../http/present-accounts.js';
import type { PrincipalRoute } from '../http/route.js';
import type { GetSessionData, GetSessionResponses } from '../http/wire.js';
import { whoAmI } from '../services/who-am-i.js';

export const getSession: PrincipalRoute<GetSessionData, GetSessionResponses> = async ({ principal, caller }, deps) => {
  return { status: 200, body: presentSelf(await whoAmI(deps, principal, caller)) };
};
