import type { SubjectKey, SubjectKeyType } from '../memory/memory.js';
import type { Microseconds } from '../timestamp.js';

/** Settings that owners change (section 2.2), and state that the service keeps with them. */
export interface OrganizationSettings {
  /** Undefined until an owner sets it. Until then, subject keys are rejected. */
  subjectKeyType?: SubjectKeyType;
  /** True if near-duplicates by meaning are merged on ingest. */
  semanticDedupe: boolean;
  /** Number of versions kept per memory. Default: `KEPT_VERSIONS`. */
  keptVersions?: number;
  /** Subjects that are being erased. Writes about them are rejected. */
  erasing?: readonly SubjectKey[];
  /** Days after which a soft-deleted memory is purged. If undefined, it is never purged. */
  deletedRetentionDays?: number;
  /**
   * Time before which no active memory expires; undefined if no memory expires. Writes to the store lower it, and the
   * upkeep that expires memories raises it.
   */
  nextExpiry?: Microseconds;
  /** Fingerprint of the embedder that made the stored vectors; undefined before the first one. */
  embeddingFingerprint?: string;
  /**
   * The `WORDS_VERSION` of the release that stored the first vector. Undefined before that, and if an earlier release
   * stored it: then some memories may be found by `hashFormerWords` only.
   */
  wordsVersion?: number;
  /**
   * Fingerprint of the embedder that replaces it. Set while the memories are re-embedded: searches compare the vectors
   * of `embeddingFingerprint` until every memory has one of this embedder too.
   */
  pendingFingerprint?: string;
  /** Fingerprint of an embedder whose vectors no search compares any more and that are being deleted. */
  formerFingerprint?: string;
}

/** Reports if an earlier release may have stored memories that are found by `hashFormerWords` only. */
export function mayHaveFormerWords({ embeddingFingerprint, wordsVersion }: OrganizationSettings): boolean {
  return embeddingFingerprint !== undefined && wordsVersion === undefined;
}

/** Settings of a new organization. */
export const FIRST_SETTINGS: OrganizationSettings = { semanticDedupe: true };
