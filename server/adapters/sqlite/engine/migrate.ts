import { StoreOpenError } from '../../../ports/store-errors.js';
import type { Connection } from './connection.js';
import { init } from './migrations/001-init.js';
import { accounts } from './migrations/002-accounts.js';
import { jobs } from './migrations/003-jobs.js';
import { audit } from './migrations/004-audit.js';
import { subscriptions } from './migrations/005-subscriptions.js';
import { inbound } from './migrations/006-inbound.js';
import { indexFiles } from './migrations/007-index-files.js';
import { outbound } from './migrations/008-outbound.js';
import { words } from './migrations/009-words.js';
import { keywordMerges } from './migrations/010-keyword-merges.js';
import { billingEventTimes } from './migrations/011-billing-event-times.js';
import { folds } from './migrations/012-folds.js';
import { sharedDeliveries } from './migrations/013-shared-deliveries.js';
import { identity } from './migrations/014-identity.js';
import { signInPlaces } from './migrations/015-sign-in-places.js';
import { storedBytes } from './migrations/016-stored-bytes.js';
import { chunks } from './migrations/017-chunks.js';
import { creationOrder } from './migrations/018-creation-order.js';
import { purges } from './migrations/019-purges.js';
import { expiry } from './migrations/020-expiry.js';
import { versions } from './migrations/021-versions.js';
import { erasures } from './migrations/022-erasures.js';
import { documents } from './migrations/023-documents.js';
import { signInLinks } from './migrations/024-sign-in-links.js';
import { deliveryAttempts } from './migrations/025-delivery-attempts.js';
import { management } from './migrations/026-management.js';
import { inboundRefusals } from './migrations/027-inbound-refusals.js';
import { deletions } from './migrations/028-deletions.js';
import { metadataValues } from './migrations/029-metadata-values.js';
import { pendingVectors } from './migrations/030-pending-vectors.js';
import { chunkPlaces } from './migrations/031-chunk-places.js';
import { distinctMemories } from './migrations/032-distinct-memories.js';
import { wordsByFold } from './migrations/033-words-by-fold.js';
import { endedSignIns } from './migrations/034-ended-sign-ins.js';
import { settledInvitations } from './migrations/035-settled-invitations.js';
import { metadataBacklog } from './migrations/036-metadata-backlog.js';
import { auditPairs } from './migrations/037-audit-pairs.js';
import { auditBacklog } from './migrations/038-audit-backlog.js';
import { ingestCounts } from './migrations/039-ingest-counts.js';

/** All migrations. The position, counted from 1, is the version in `PRAGMA user_version`. Never edit a released one. */
export const MIGRATIONS: readonly string[] = [
  init,
  accounts,
  jobs,
  audit,
  subscriptions,
  inbound,
  indexFiles,
  outbound,
  words,
  keywordMerges,
  billingEventTimes,
  folds,
  sharedDeliveries,
  identity,
  signInPlaces,
  storedBytes,
  chunks,
  creationOrder,
  purges,
  expiry,
  versions,
  erasures,
  documents,
  signInLinks,
  deliveryAttempts,
  management,
  inboundRefusals,
  deletions,
  metadataValues,
  pendingVectors,
  chunkPlaces,
  distinctMemories,
  wordsByFold,
  endedSignIns,
  settledInvitations,
  metadataBacklog,
  auditPairs,
  auditBacklog,
  ingestCounts,
];

/** The schema version that this release writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Returns the schema version of a database, or 0 if it has no schema. */
export function schemaVersion(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

/** Reports if a database of that version contains the id of its folder. */
export function isNamed(version: number): boolean {
  return version > MIGRATIONS.indexOf(identity);
}

/**
 * Applies the missing migrations, one transaction each. A new database gets
 * all of them in one transaction, since each transaction waits for the disk.
 *
 * @throws {StoreOpenError} if a newer release wrote the database
 */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): void {
  const version = schemaVersion(connection);
  if (version > migrations.length) {
    throw new StoreOpenError(
      `The database has schema version ${version} and this release knows ${migrations.length}: ` +
        'start the release that wrote it, or a newer one',
    );
  }
  const missing = migrations.slice(version);
  const transactions = version === 0 ? [missing] : missing.map((sql) => [sql]);
  let reached = version;
  for (const steps of transactions) {
    reached += steps.length;
    apply(connection, reached, steps);
  }
}

function apply(connection: Connection, version: number, steps: readonly string[]): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const sql of steps) connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${version}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}
