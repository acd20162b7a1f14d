import type { SubjectKey, SubjectKeyType } from '../memory/memory.js';
import type { Microseconds } from '../timestamp.js';

/** What owners set for their organization (section 2.2), and what its vectors were made with. */
export interface OrganizationSettings {
  /** Undefined until an owner configures it; subject keys are refused until then. */
  subjectKeyType?: SubjectKeyType;
  /** Whether near-duplicates by meaning are merged on ingest. */
  semanticDedupe: boolean;
  /** Versions of a memory that are kept; `KEPT_VERSIONS` if absent, none if 0. */
  keptVersions?: number;
  /** Subjects that are being erased: nothing new about them is stored. */
  erasing?: readonly SubjectKey[];
  /** Days after which a soft-deleted memory is purged; kept for good unless given. */
  deletedRetentionDays?: number;
  /**
   * No active memory expires before; undefined while none expires at all. Stores lower it with each write that needs
   * it, and what expires memories raises it.
   */
  nextExpiry?: Microseconds;
  /** Fingerprint of the embedder that made the stored vectors; undefined before the first one. */
  embeddingFingerprint?: string;
}

/** What an organization has until its owners say otherwise. */
export const FIRST_SETTINGS: OrganizationSettings = { semanticDedupe: true };
