import type { SubjectKey } from './memory.js';

/** JSON values that a filter compares; objects and arrays are never equal to one. */
export type Scalar = string | number | boolean | null;

/**
 * Which memories a read looks at (section 2.3): every condition must hold.
 * Conditions on keys that a memory does not have do not hold.
 */
export interface Filter {
  subjectKey?: SubjectKey;
  externalKey?: string;
  /** Metadata key → equal to one of these values, type and value. Keys are distinct. */
  metadata: readonly MetadataCondition[];
}

export interface MetadataCondition {
  key: string;
  anyOf: readonly Scalar[];
}

export const NO_FILTER: Filter = { metadata: [] };
