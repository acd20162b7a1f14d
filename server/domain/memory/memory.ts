import type { Microseconds } from '../timestamp.js';

/** Free-form JSON object of a memory (section 2.1). */
export type Metadata = Readonly<Record<string, unknown>>;

/** What a memory is about: an integer or a string, by the organization's setting (section 2.2). */
export type SubjectKey = number | string;

export type SubjectKeyType = 'integer' | 'string';

/** Together with the external key, the identity of a keyed memory. An absent part is the empty string. */
export interface Scope {
  source: string;
  project: string;
}

/** A stored memory (section 2.1), without its vector: no read path carries vectors. */
export interface Memory {
  id: string;
  organizationId: string;
  /** NFC-normalized. */
  content: string;
  metadata: Metadata;
  externalKey?: string;
  scope: Scope;
  subjectKey?: SubjectKey;
  /** From the organization's clock, so no two memories of one organization share it. */
  createdAt: Microseconds;
  /** From the organization's clock; equal to createdAt until the first change. */
  updatedAt: Microseconds;
  /** Present on soft-deleted memories. */
  deletedAt?: Microseconds;
  /** When the service soft-deletes the memory; never unless given. */
  expiresAt?: Microseconds;
  /** Present on what a list of changes returns for a purged memory: its content, metadata and keys are gone. */
  purgedAt?: Microseconds;
}

/** What a write did (sections 4.1, 4.2 and 4.5). */
export type Outcome = 'created' | 'updated' | 'deduplicated' | 'merged_metadata';

/** How a write recognised the memory that it repeats. */
export type Dedupe = 'exact' | 'semantic';

/** A memory as a write left it, and what the write did. */
export interface Written {
  memory: Memory;
  outcome: Outcome;
  dedupe?: Dedupe;
  /** The memory held all of it already, so nothing of it was changed. */
  untouched?: true;
}

export const NO_SCOPE: Scope = { source: '', project: '' };
