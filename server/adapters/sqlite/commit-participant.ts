import type { RememberedTokens } from './accounts/remembered-tokens.js';
import type { AuditBacklog } from './audit/audit-backlog.js';
import type { SqliteUsageMeter } from './billing/usage-meter.js';
import type { Connection } from './engine/connection.js';
import type { WriteAheadLog } from './engine/log/write-ahead-log.js';
import type { CommitParticipant } from './engine/writer.js';
import type { Yielder } from './engine/yielder.js';
import type { StagedJobs } from './jobs/staged-jobs.js';
import type { KeywordBacklog } from './keywords/keyword-backlog.js';
import type { PagesAhead } from './memories/lines/pages-ahead.js';
import type { MetadataBacklog } from './memories/metadata-backlog.js';
import type { StagedVectors } from './vector-index/staged-vectors.js';

/** The parts that are written, kept and dropped together with the units of a commit. */
interface Participants {
  log: WriteAheadLog;
  connection: Connection;
  vectors: StagedVectors;
  keywords: KeywordBacklog;
  metadata: MetadataBacklog;
  audit: AuditBacklog;
  usage: SqliteUsageMeter;
  jobs: StagedJobs;
  tokens: RememberedTokens;
  pages: PagesAhead;
  yielder: Yielder;
}

/** The calls that the parts make on their store. */
interface CommittingStore {
  /** Throws if the lock of the data folder was lost, or the database failed. */
  requireAlone: () => void;
  /** Throws if the database failed. */
  requireSound: () => void;
  /** Learns of a write that failed, maybe for want of room. */
  refused: (error: unknown) => void;
  /** Lets a commit write the next part of the keyword backlog. */
  continueIndexing: () => void;
}

/** Passes what happens to units and their commit on to the parts. */
export function commitParticipant(
  { log, connection, vectors, keywords, metadata, audit, usage, jobs, tokens, pages, yielder }: Participants,
  store: CommittingStore,
): CommitParticipant {
  return {
    beforeGroup: () => {
      store.requireAlone();
      return log.makeRoom();
    },
    unitKept: () => {
      vectors.keep();
      keywords.unitKept();
      jobs.unitKept();
    },
    unitDropped: (error) => {
      store.refused(error);
      vectors.drop();
      keywords.unitDropped();
      metadata.rolledBack();
      audit.rolledBack();
      jobs.unitDropped();
    },
    beforeCommit: async () => {
      await keywords.beforeCommit();
      await yielder.rest();
      usage.write(connection);
      // A reader or a thread may have detected damage since the group began.
      store.requireSound();
    },
    committed: () => {
      pages.transactionEnded();
      tokens.committed();
      vectors.committed();
      keywords.committed();
      if (keywords.isDraining) store.continueIndexing();
      usage.committed();
      jobs.committed();
    },
    abandoned: (error) => {
      pages.transactionEnded();
      store.refused(error);
      tokens.forget();
      vectors.abandoned();
      keywords.abandoned();
      metadata.rolledBack();
      audit.rolledBack();
      usage.abandoned();
      jobs.abandoned();
    },
  };
}
