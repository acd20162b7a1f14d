import type { Capability } from './capability.js';
import type { Check } from './check.js';
import { auditChecks } from './checks/audit.js';
import { batchChecks } from './checks/batch.js';
import { billingChecks } from './checks/billing.js';
import { booleanChecks } from './checks/booleans.js';
import { changesChecks } from './checks/changes.js';
import { contentChecks } from './checks/content.js';
import { contentScanChecks } from './checks/content-scan.js';
import { credentialChecks } from './checks/credentials.js';
import { deleteChecks } from './checks/delete.js';
import { errorChecks } from './checks/errors.js';
import { exportChecks } from './checks/export.js';
import { filterChecks } from './checks/filters.js';
import { getChecks } from './checks/get.js';
import { healthChecks } from './checks/health.js';
import { inboundChecks } from './checks/inbound.js';
import { inboundEventChecks } from './checks/inbound-events.js';
import { inboundManagementChecks } from './checks/inbound-management.js';
import { ingestChecks } from './checks/ingest.js';
import { invitationChecks } from './checks/invitations.js';
import { localToolChecks } from './checks/local-tools.js';
import { metadataChecks } from './checks/metadata.js';
import { metricChecks } from './checks/metrics.js';
import { operationChecks } from './checks/operations.js';
import { organizationChecks } from './checks/organizations.js';
import { outboundChecks } from './checks/outbound.js';
import { outboundManagementChecks } from './checks/outbound-management.js';
import { raceChecks } from './checks/races.js';
import { rateLimitChecks } from './checks/rate-limits.js';
import { recentChecks } from './checks/recent.js';
import { roleChecks } from './checks/roles.js';
import { searchChecks } from './checks/search.js';
import { sessionChecks } from './checks/sessions.js';
import { statsChecks } from './checks/stats.js';
import { subjectKeyChecks } from './checks/subject-keys.js';
import { tokenChecks } from './checks/tokens.js';
import { toolAccessChecks } from './checks/tool-access.js';
import { toolEquivalenceChecks } from './checks/tool-equivalence.js';
import { toolChecks } from './checks/tools.js';
import { updateChecks } from './checks/update.js';
import { upsertChecks } from './checks/upsert.js';
import { usageChecks } from './checks/usage.js';

/** Every check, in the order of the specification. */
export const catalogue: readonly Check[] = [
  ...contentChecks,
  ...metadataChecks,
  ...subjectKeyChecks,
  ...filterChecks,
  ...booleanChecks,
  ...ingestChecks,
  ...upsertChecks,
  ...batchChecks,
  ...getChecks,
  ...updateChecks,
  ...deleteChecks,
  ...exportChecks,
  ...statsChecks,
  ...changesChecks,
  ...recentChecks,
  ...searchChecks,
  ...healthChecks,
  ...toolChecks,
  ...toolEquivalenceChecks,
  ...toolAccessChecks,
  ...localToolChecks,
  ...credentialChecks,
  ...organizationChecks,
  ...operationChecks,
  ...raceChecks,
  ...errorChecks,
  ...contentScanChecks,
  ...auditChecks,
  ...tokenChecks,
  ...invitationChecks,
  ...roleChecks,
  ...sessionChecks,
  ...usageChecks,
  ...billingChecks,
  ...inboundManagementChecks,
  ...inboundChecks,
  ...inboundEventChecks,
  ...metricChecks,
  ...outboundChecks,
  ...outboundManagementChecks,
  ...rateLimitChecks,
];

/** The checks that a run was asked for; an empty list asks for all. */
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
