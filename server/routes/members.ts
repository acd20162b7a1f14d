import type { Route } from '../http/contract/route.js';
import type {
  ListMembersData,
  ListMembersResponses,
  RemoveMemberData,
  RemoveMemberResponses,
  UpdateMemberData,
  UpdateMemberResponses,
} from '../http/contract/wire.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { presentMember } from '../http/response/present-accounts.js';
import { presentPage } from '../http/response/present-page.js';
import * as members from '../services/organization/members.js';

export const listMembers: Route<ListMembersData, ListMembersResponses, 'limit'> = async ({ caller, query }, deps) => {
  const page = await members.listMembers(deps, caller, toPageQuery(query));
  return { status: 200, body: { members: page.items.map(presentMember), ...presentPage(page) } };
};

export const updateMember: Route<UpdateMemberData, UpdateMemberResponses> = async ({ caller, path, body }, deps) => {
  const member = await members.changeRole(deps, caller, path.userId, body.role);
  return { status: 200, body: presentMember(member) };
};

export const removeMember: Route<RemoveMemberData, RemoveMemberResponses> = async ({ caller, path }, deps) => {
  await members.removeMember(deps, caller, path.userId);
  return { status: 204 };
};
