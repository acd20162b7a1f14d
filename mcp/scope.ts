import { isObject } from './json-schema.js';
import { sizeOf } from './shorten.js';

/** A longer one is not repeated: the caller has it, and results are short. */
const MAX_FILTER_CHARS = 300;

/**
 * Where a call acted, told with every result: an empty result means nothing
 * unless it is known what was looked through. The scope of a memory joins it.
 */
export function scopeOf(
  organizationId: string | undefined,
  { filter, includeDeleted, scope }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return {
    ...(isObject(scope) && sizeOf(scope) <= MAX_FILTER_CHARS && scope),
    ...(organizationId !== undefined && { organizationId }),
    ...(filter !== undefined && (sizeOf(filter) <= MAX_FILTER_CHARS ? { filter } : { filterOmitted: true })),
    ...(includeDeleted !== undefined && { includeDeleted }),
  };
}
