import type { Deps } from '../../../deps.js';
import type { Caller } from '../../../domain/account/caller.js';
import { NO_FILTER, parseFilter } from '../../../domain/filter/filter.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import { readSettings } from '../../../services/organization/settings.js';
import type { QueryFilter } from '../../contract/route.js';
import type { BooleanInput } from '../../contract/wire.js';
import { isTrue } from '../body/boolean-input.js';

/**
 * Returns the scope of a listing.
 *
 * @throws {UnprocessableError} for a filter that is invalid, also by the organization's settings
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
