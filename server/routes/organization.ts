import type { Deps } from '../deps.js';
import type { Caller } from '../domain/account/caller.js';
import type { OrganizationSettings } from '../domain/account/organization.js';
import { KEPT_VERSIONS } from '../domain/memory/version.js';
import type { PrincipalRoute, Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  CreateOrganizationData,
  CreateOrganizationResponses,
  DeleteOrganizationData,
  DeleteOrganizationResponses,
  GetOrganizationData,
  GetOrganizationResponses,
  GetOrganizationSettingsData,
  GetOrganizationSettingsResponses,
  UpdateOrganizationData,
  UpdateOrganizationResponses,
  UpdateOrganizationSettingsData,
  UpdateOrganizationSettingsResponses,
} from '../http/contract/wire.js';
import { presentOrganization } from '../http/response/present-accounts.js';
import * as deletion from '../services/organization/deletion.js';
import * as organizations from '../services/organization/organizations.js';
import { readSettings, updateSettings } from '../services/organization/settings.js';
import { reembeddingOf } from '../services/upkeep/reembed.js';

export const createOrganization: PrincipalRoute<CreateOrganizationData, CreateOrganizationResponses> = async (
  { principal, origin, body },
  deps,
) => {
  const organization = await organizations.createOrganization(deps, principal, origin, body.name);
  return { status: 201, body: presentOrganization(organization) };
};

export const getOrganization: Route<GetOrganizationData, GetOrganizationResponses> = async ({ caller }, deps) => {
  return { status: 200, body: presentOrganization(await organizations.getOrganization(deps, caller)) };
};

export const updateOrganization: Route<UpdateOrganizationData, UpdateOrganizationResponses> = async (
  { caller, body },
  deps,
) => {
  return { status: 200, body: presentOrganization(await organizations.renameOrganization(deps, caller, body.name)) };
};

export const deleteOrganization: Route<DeleteOrganizationData, DeleteOrganizationResponses> = async (
  { caller, body },
  deps,
) => {
  await deletion.deleteOrganization(deps, caller, body.name);
  return { status: 204 };
};

export const getOrganizationSettings: Route<GetOrganizationSettingsData, GetOrganizationSettingsResponses> = async (
  { caller },
  deps,
) => {
  const settings = await readSettings(deps, caller);
  return { status: 200, body: await presentSettings(deps, caller, settings) };
};

export const updateOrganizationSettings: Route<
  UpdateOrganizationSettingsData,
  UpdateOrganizationSettingsResponses
> = async ({ caller, body }, deps) => {
  const settings = await updateSettings(deps, caller, body);
  return { status: 200, body: await presentSettings(deps, caller, settings) };
};

async function presentSettings(
  deps: Pick<Deps, 'store' | 'embedder'>,
  { organizationId }: Caller,
  settings: OrganizationSettings,
): Promise<wire.OrganizationSettings> {
  const { subjectKeyType = null, semanticDedupe, keptVersions = KEPT_VERSIONS, deletedRetentionDays = null } = settings;
  const reembedding = await reembeddingOf(deps, organizationId, settings);
  return { subjectKeyType, semanticDedupe, keptVersions, deletedRetentionDays, ...(reembedding && { reembedding }) };
}
