import type { Microseconds } from '../timestamp.js';

/** Free-form JSON object of a memory (section 2.1). */
export type Metadata = Readonly<Record<string, unknown>>;

/** Key of the subject of a memory: an integer or a string, by the organization's setting (section 2.2). */
export type SubjectKey = number | string;

export type SubjectKeyType = 'integer' | 'string';

/** Scope of an external key. An absent field is the empty string. */
export interface Scope {
  source: string;
  project: string;
}

/** A stored memory (section 2.1), without its vector, which no response contains. */
export interface Memory {
  id: string;
  organizationId: string;
  /** NFC-normalized. */
  content: string;
  metadata: Metadata;
  externalKey?: string;
  scope: Scope;
  subjectKey?: SubjectKey;
  /** Time by the organization's clock, so it is unique in the organization. */
  createdAt: Microseconds;
  /** Time by the organization's clock; equal to createdAt until the first change. */
  updatedAt: Microseconds;
  /** Present on soft-deleted memories. */
  deletedAt?: Microseconds;
  /** Time at which the service soft-deletes the memory. If undefined, it never expires. */
  expiresAt?: Microseconds;
  /** Present if the memory takes no part in de-duplication: it may have the content of another one. */
  distinct?: true;
  /** Present on tombstones in a list of changes. Their content, metadata and keys are removed. */
  purgedAt?: Microseconds;
}

/** Result of a write (sections 4.1, 4.2 and 4.5). */
export type Outcome = 'created' | 'updated' | 'deduplicated' | 'merged_metadata';

/** Kind of match by which a write was merged into a memory. */
export type Dedupe = 'exact' | 'semantic';

/** A memory after a write, and the result of the write. */
export interface Written {
  memory: Memory;
  outcome: Outcome;
  dedupe?: Dedupe;
  /** True if the memory was deleted before. */
  restored?: true;
  /** True if the memory already had all the data, so it was not changed. */
  untouched?: true;
}

export const NO_SCOPE: Scope = { source: '', project: '' };
