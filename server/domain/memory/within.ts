import type { Memory } from './memory.js';

/** The part of the memories that a request is bound to. Undefined members are not bound. */
export interface Within {
  /** A string, even if the organization's subject keys are integers. */
  subjectKey?: string;
  /** Value of the metadata key `project`. */
  project?: string;
}

/** Reports if a memory is in the part that a request is bound to. */
export function isWithin(
  { subjectKey, metadata }: Pick<Memory, 'subjectKey' | 'metadata'>,
  within: Within = {},
): boolean {
  if (within.subjectKey !== undefined && String(subjectKey) !== within.subjectKey) return false;
  return within.project === undefined || metadata.project === within.project;
}
