import type { Route } from '../http/contract/route.js';
import type {
  CreateTokenData,
  CreateTokenResponses,
  ListTokensData,
  ListTokensResponses,
  RevokeTokenData,
  RevokeTokenResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { isTrue } from '../http/request/body/boolean-input.js';
import { presentToken } from '../http/response/present-accounts.js';
import { presentPage } from '../http/response/present-page.js';
import * as tokens from '../services/organization/tokens.js';

export const createToken: Route<CreateTokenData, CreateTokenResponses> = async ({ caller, body }, deps) => {
  const { token, record } = await tokens.issueToken(deps, caller, body);
  return { status: 201, body: { ...presentToken(record), token } };
};

export const listTokens: Route<ListTokensData, ListTokensResponses, 'limit' | 'includeRevoked'> = async (
  { caller, query },
  deps,
) => {
  const page = await tokens.listTokens(deps, caller, {
    ...toPageQuery(query),
    includeRevoked: isTrue(query.includeRevoked),
  });
  return { status: 200, body: { tokens: page.items.map(presentToken), ...presentPage(page) } };
};

export const revokeToken: Route<RevokeTokenData, RevokeTokenResponses> = async ({ caller, path }, deps) => {
  await tokens.revokeToken(deps, caller, path.tokenId);
  return { status: 204 };
};
