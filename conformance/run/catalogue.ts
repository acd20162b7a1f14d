import type { Check } from '../checks/check.js';
import { batchChecks } from '../checks/memories/batch.js';
import { booleanChecks } from '../checks/memories/booleans.js';
import { browseChecks } from '../checks/memories/browse.js';
import { changesChecks } from '../checks/memories/changes.js';
import { contentChecks } from '../checks/memories/content.js';
import { contentScanChecks } from '../checks/memories/content-scan.js';
import { deleteChecks } from '../checks/memories/delete.js';
import { deleteManyChecks } from '../checks/memories/delete-many.js';
import { distinctChecks } from '../checks/memories/distinct.js';
import { documentChecks } from '../checks/memories/documents.js';
import { erasureChecks } from '../checks/memories/erasure.js';
import { exportChecks } from '../checks/memories/export.js';
import { getChecks } from '../checks/memories/get.js';
import { importChecks } from '../checks/memories/import.js';
import { ingestChecks } from '../checks/memories/ingest.js';
import { lifetimeChecks } from '../checks/memories/lifetimes.js';
import { metadataChecks } from '../checks/memories/metadata.js';
import { raceChecks } from '../checks/memories/races.js';
import { recentChecks } from '../checks/memories/recent.js';
import { statsChecks } from '../checks/memories/stats.js';
import { subjectKeyChecks } from '../checks/memories/subject-keys.js';
import { timestampChecks } from '../checks/memories/timestamps.js';
import { updateChecks } from '../checks/memories/update.js';
import { upsertChecks } from '../checks/memories/upsert.js';
import { versionChecks } from '../checks/memories/versions.js';
import { auditChecks } from '../checks/organization/audit.js';
import { auditExportChecks } from '../checks/organization/audit-export.js';
import { billingChecks } from '../checks/organization/billing.js';
import { credentialChecks } from '../checks/organization/credentials.js';
import { invitationChecks } from '../checks/organization/invitations.js';
import { organizationDeletionChecks } from '../checks/organization/organization-deletion.js';
import { organizationNameChecks } from '../checks/organization/organization-name.js';
import { organizationChecks } from '../checks/organization/organizations.js';
import { roleChecks } from '../checks/organization/roles.js';
import { sessionChecks } from '../checks/organization/sessions.js';
import { signInLinkChecks } from '../checks/organization/sign-in-links.js';
import { tokenChecks } from '../checks/organization/tokens.js';
import { usageChecks } from '../checks/organization/usage.js';
import { errorChecks } from '../checks/requests/errors.js';
import { healthChecks } from '../checks/requests/health.js';
import { metricChecks } from '../checks/requests/metrics.js';
import { operationChecks } from '../checks/requests/operations.js';
import { rateLimitChecks } from '../checks/requests/rate-limits.js';
import { comparisonChecks } from '../checks/search/comparisons.js';
import { filterChecks } from '../checks/search/filters.js';
import { searchChecks } from '../checks/search/search.js';
import { searchOptionChecks } from '../checks/search/search-options.js';
import { similarChecks } from '../checks/search/similar.js';
import { boundConnectionChecks } from '../checks/tools/bound-connections.js';
import { localToolChecks } from '../checks/tools/local-tools.js';
import { toolAccessChecks } from '../checks/tools/tool-access.js';
import { toolEquivalenceChecks } from '../checks/tools/tool-equivalence.js';
import { toolChecks } from '../checks/tools/tools.js';
import { inboundChecks } from '../checks/webhooks/inbound.js';
import { inboundEventChecks } from '../checks/webhooks/inbound-events.js';
import { inboundManagementChecks } from '../checks/webhooks/inbound-management.js';
import { outboundChecks } from '../checks/webhooks/outbound.js';
import { outboundDeliveryChecks } from '../checks/webhooks/outbound-deliveries.js';
import { outboundManagementChecks } from '../checks/webhooks/outbound-management.js';
import type { Capability } from '../world/capability.js';

/** All checks, in the order of the specification. */
export const catalogue: readonly Check[] = [
  ...contentChecks,
  ...metadataChecks,
  ...timestampChecks,
  ...documentChecks,
  ...subjectKeyChecks,
  ...filterChecks,
  ...comparisonChecks,
  ...booleanChecks,
  ...ingestChecks,
  ...upsertChecks,
  ...distinctChecks,
  ...batchChecks,
  ...importChecks,
  ...getChecks,
  ...updateChecks,
  ...versionChecks,
  ...deleteChecks,
  ...deleteManyChecks,
  ...lifetimeChecks,
  ...erasureChecks,
  ...exportChecks,
  ...statsChecks,
  ...changesChecks,
  ...recentChecks,
  ...browseChecks,
  ...searchChecks,
  ...searchOptionChecks,
  ...similarChecks,
  ...healthChecks,
  ...toolChecks,
  ...toolEquivalenceChecks,
  ...toolAccessChecks,
  ...boundConnectionChecks,
  ...localToolChecks,
  ...credentialChecks,
  ...organizationChecks,
  ...operationChecks,
  ...raceChecks,
  ...errorChecks,
  ...contentScanChecks,
  ...auditChecks,
  ...auditExportChecks,
  ...tokenChecks,
  ...invitationChecks,
  ...roleChecks,
  ...organizationNameChecks,
  ...organizationDeletionChecks,
  ...sessionChecks,
  ...signInLinkChecks,
  ...usageChecks,
  ...billingChecks,
  ...inboundManagementChecks,
  ...inboundChecks,
  ...inboundEventChecks,
  ...metricChecks,
  ...outboundChecks,
  ...outboundManagementChecks,
  ...outboundDeliveryChecks,
  ...rateLimitChecks,
];

/** Returns the selected checks; an empty list selects all. */
export function selectChecks(wanted: {
  sections: readonly string[];
  checks: readonly string[];
  needs: readonly Capability[];
}): readonly Check[] {
  return catalogue.filter(({ id, section, needs = [] }) => {
    const isOfSection = (number: string) => section === number || section.startsWith(`${number}.`);
    return (
      (wanted.sections.length === 0 || wanted.sections.some(isOfSection)) &&
      (wanted.checks.length === 0 || wanted.checks.includes(id)) &&
      (wanted.needs.length === 0 || wanted.needs.some((capability) => needs.includes(capability)))
    );
  });
}
