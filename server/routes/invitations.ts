import type { OpenRoute, PublicRoute, Route } from '../http/contract/route.js';
import type {
  AcceptInvitationData,
  AcceptInvitationResponses,
  CreateInvitationData,
  CreateInvitationResponses,
  GetInvitationPageData,
  GetInvitationPageResponses,
  ListInvitationsData,
  ListInvitationsResponses,
  RevokeInvitationData,
  RevokeInvitationResponses,
} from '../http/contract/wire.js';
import { invitationDocument } from '../http/pages/dashboard-pages.js';
import { PAGE_HEADERS } from '../http/pages/pages.js';
import { toPageQuery } from '../http/request/address/page-query.js';
import { presentInvitation, presentMembership } from '../http/response/present-accounts.js';
import { presentPage } from '../http/response/present-page.js';
import * as acceptance from '../services/organization/accept-invitation.js';
import * as invitations from '../services/organization/invitations.js';

export const createInvitation: Route<CreateInvitationData, CreateInvitationResponses> = async (
  { caller, body },
  deps,
) => {
  const { invitation, link } = await invitations.invite(deps, caller, body);
  const isSent = link === undefined;
  return { status: 201, body: { ...presentInvitation(invitation), sent: isSent, ...(!isSent && { link }) } };
};

export const listInvitations: Route<ListInvitationsData, ListInvitationsResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const page = await invitations.listInvitations(deps, caller, toPageQuery(query));
  return { status: 200, body: { invitations: page.items.map(presentInvitation), ...presentPage(page) } };
};

export const revokeInvitation: Route<RevokeInvitationData, RevokeInvitationResponses> = async (
  { caller, path },
  deps,
) => {
  await invitations.revokeInvitation(deps, caller, path.invitationId);
  return { status: 204 };
};

export const acceptInvitation: OpenRoute<AcceptInvitationData, AcceptInvitationResponses> = async (
  { body, origin },
  deps,
) => {
  const { user, organization } = await acceptance.acceptInvitation(deps, origin, body);
  const { id, email } = user;
  return { status: 200, body: { user: { id, email }, organization: presentMembership(organization) } };
};

export const getInvitationPage: PublicRoute<GetInvitationPageData, GetInvitationPageResponses> = async () => {
  return { status: 200, headers: PAGE_HEADERS, body: invitationDocument() };
};
