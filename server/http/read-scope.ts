import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { NO_FILTER, parseFilter } from '../domain/filter.js';
import type { ReadScope } from '../ports/store.js';
import { readSettings } from '../services/settings.js';
import { isTrue } from './boolean-input.js';
import type { QueryFilter } from './route.js';
import type { BooleanInput } from './wire.js';

/**
 * Which memories a listing looks at.
 *
 * @throws {UnprocessableError} for a filter that the rules or the organization's settings refuse
 */
export async function toReadScope(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  filter: QueryFilter | undefined,
  includeDeleted: BooleanInput,
): Promise<ReadScope> {
  const parsed = filter ? parseFilter(filter.wire, await readSettings(deps, caller), filter.form) : NO_FILTER;
  return { filter: parsed, includeDeleted: isTrue(includeDeleted) };
}
