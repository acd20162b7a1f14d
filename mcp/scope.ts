import { isObject } from './json-schema.js';
import { sizeOf } from './shorten.js';

/** A longer filter is not repeated, since the caller has it and results must stay short. */
const MAX_FILTER_CHARS = 300;

/**
 * Returns the organization and filter of a call. Every result contains them, since an empty result means little if the
 * model does not know what was searched. The scope of the memory is merged in.
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
