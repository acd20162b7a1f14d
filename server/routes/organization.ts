import type { OrganizationSettings } from '../domain/account/organization.js';
import { KEPT_VERSIONS } from '../domain/memory/version.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  GetOrganizationSettingsData,
  GetOrganizationSettingsResponses,
  UpdateOrganizationSettingsData,
  UpdateOrganizationSettingsResponses,
} from '../http/contract/wire.js';
import { readSettings, updateSettings } from '../services/organization/settings.js';

export const getOrganizationSettings: Route<GetOrganizationSettingsData, GetOrganizationSettingsResponses> = async (
  { caller },
  deps,
) => {
  const settings = await readSettings(deps, caller);
  return { status: 200, body: presentSettings(settings) };
};

export const updateOrganizationSettings: Route<
  UpdateOrganizationSettingsData,
  UpdateOrganizationSettingsResponses
> = async ({ caller, body }, deps) => {
  const settings = await updateSettings(deps, caller, body);
  return { status: 200, body: presentSettings(settings) };
};

function presentSettings(settings: OrganizationSettings): wire.OrganizationSettings {
  const { subjectKeyType, semanticDedupe, keptVersions = KEPT_VERSIONS, deletedRetentionDays = null } = settings;
  return { subjectKeyType: subjectKeyType ?? null, semanticDedupe, keptVersions, deletedRetentionDays };
}
