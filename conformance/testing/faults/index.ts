import type { Fault } from '../fault.js';
import { credentialFaults, organizationFaults } from './access.js';
import { contentScanFaults, errorFaults, healthFaults } from './answers.js';
import { batchFaults } from './batch.js';
import { booleanFaults } from './booleans.js';
import { browseFaults } from './browse.js';
import { changesFaults } from './changes.js';
import { deleteManyFaults } from './delete-many.js';
import { distinctFaults } from './distinct.js';
import { documentFaults } from './documents.js';
import { erasureFaults } from './erasure.js';
import { contentFaults, metadataFaults } from './fields.js';
import { filterFaults } from './filters.js';
import { importFaults } from './import.js';
import { inboundFaults } from './inbound.js';
import { ingestFaults } from './ingest.js';
import { lifetimeFaults } from './lifetimes.js';
import { exportFaults, recentFaults, searchFaults, similarFaults, statsFaults } from './listings.js';
import {
  auditExportFaults,
  auditFaults,
  billingFaults,
  metricFaults,
  rateLimitFaults,
  tokenFaults,
  usageFaults,
} from './management.js';
import { deleteFaults, getFaults, updateFaults } from './one-memory.js';
import { operationFaults } from './operations.js';
import { outboundFaults } from './outbound.js';
import { invitationFaults, roleFaults, sessionFaults } from './people.js';
import { raceFaults } from './races.js';
import { signInLinkFaults } from './sign-in-links.js';
import { subjectKeyFaults } from './subject-keys.js';
import { timestampFaults } from './timestamps.js';
import {
  boundConnectionFaults,
  localToolFaults,
  toolAccessFaults,
  toolEquivalenceFaults,
  toolFaults,
} from './tools.js';
import { upsertFaults } from './upsert.js';
import { versionFaults } from './versions.js';
import { inboundManagementFaults, outboundManagementFaults } from './webhook-management.js';

/** Check id → a fault that the check must notice. */
export const faults: Readonly<Record<string, Fault>> = {
  ...contentFaults,
  ...metadataFaults,
  ...timestampFaults,
  ...documentFaults,
  ...subjectKeyFaults,
  ...filterFaults,
  ...booleanFaults,
  ...ingestFaults,
  ...upsertFaults,
  ...batchFaults,
  ...importFaults,
  ...getFaults,
  ...updateFaults,
  ...versionFaults,
  ...deleteFaults,
  ...deleteManyFaults,
  ...distinctFaults,
  ...lifetimeFaults,
  ...erasureFaults,
  ...exportFaults,
  ...statsFaults,
  ...changesFaults,
  ...recentFaults,
  ...browseFaults,
  ...searchFaults,
  ...similarFaults,
  ...healthFaults,
  ...toolFaults,
  ...toolEquivalenceFaults,
  ...toolAccessFaults,
  ...boundConnectionFaults,
  ...localToolFaults,
  ...credentialFaults,
  ...organizationFaults,
  ...operationFaults,
  ...raceFaults,
  ...errorFaults,
  ...contentScanFaults,
  ...auditFaults,
  ...auditExportFaults,
  ...tokenFaults,
  ...invitationFaults,
  ...roleFaults,
  ...sessionFaults,
  ...signInLinkFaults,
  ...usageFaults,
  ...billingFaults,
  ...inboundManagementFaults,
  ...inboundFaults,
  ...metricFaults,
  ...outboundFaults,
  ...outboundManagementFaults,
  ...rateLimitFaults,
};
