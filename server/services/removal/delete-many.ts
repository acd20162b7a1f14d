import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type Filter, isEmptyFilter, parseFilter, type WireFilter } from '../../domain/filter/filter.js';
import { meetsFilter } from '../../domain/filter/memory-facets.js';
import { invalid } from '../../domain/invalid.js';
import type { Memory } from '../../domain/memory/memory.js';
import { CountMismatchError } from '../../errors.js';
import { expireDue } from '../memories/expire.js';
import { softDelete } from '../memories/soft-delete.js';
import { readSettings } from '../organization/settings.js';

/** Memories that one unit of work deletes: few, so that other writers wait a short time. */
const MAX_DELETED_PER_UNIT = 100;
/** Memories that one request with a filter or of a document deletes at most. */
export const MAX_DELETED = 5_000;

/** Ids, or a filter and the number of memories that it matches. */
export interface DeleteManyInput {
  ids?: readonly string[] | undefined;
  filter?: WireFilter | undefined;
  expectedCount?: number | undefined;
}

export interface DeletedMany {
  deleted: number;
  /** Ids of the request without an active memory. */
  missing: string[];
  /** Memories that the filter still matches after this request. */
  remaining: number;
}

type DeleteManyDeps = Pick<Deps, 'store' | 'now' | 'newId'>;

/**
 * Soft-deletes many memories, in several units of work. If it stops early, some of them are deleted, and the same
 * request deletes the rest.
 *
 * @throws {CountMismatchError} with nothing deleted, if the filter does not match as many memories as expected
 * @throws {UnprocessableError} for an input in both forms, and for a filter that is empty or invalid
 */
export async function deleteMany(deps: DeleteManyDeps, caller: Caller, input: DeleteManyInput): Promise<DeletedMany> {
  const { ids, filter, expectedCount } = input;
  await expireDue(deps, caller);
  if (ids === undefined) return deleteMatching(deps, caller, filter, expectedCount);
  if (filter !== undefined || expectedCount !== undefined) {
    throw invalid('ids', 'must be given alone, without filter and expectedCount');
  }
  const distinct = [...new Set(ids)];
  const deleted = new Set(await deleteAll(deps, caller, distinct, () => true));
  return { deleted: deleted.size, missing: distinct.filter((id) => !deleted.has(id)), remaining: 0 };
}

async function deleteMatching(
  deps: DeleteManyDeps,
  caller: Caller,
  wire: WireFilter | undefined,
  expectedCount: number | undefined,
): Promise<DeletedMany> {
  const filter = await requireFilter(deps, caller, wire);
  const { ids, count } = await deps.store.memories.findMatching(caller.organizationId, filter, MAX_DELETED);
  if (count !== expectedCount) throw new CountMismatchError(count);
  const deleted = await deleteAll(deps, caller, ids, (memory) => meetsFilter(memory, filter));
  return { deleted: deleted.length, missing: [], remaining: count - ids.length };
}

async function requireFilter(deps: DeleteManyDeps, caller: Caller, wire: WireFilter | undefined): Promise<Filter> {
  const filter = parseFilter(wire, await readSettings(deps, caller), 'json');
  if (isEmptyFilter(filter)) throw invalid('filter', 'must have a condition');
  return filter;
}

/** Deletes those of the memories that are active and still match, and returns their ids. */
export async function deleteAll(
  deps: DeleteManyDeps,
  caller: Caller,
  ids: readonly string[],
  isMeant: (memory: Memory) => boolean,
): Promise<string[]> {
  const batchId = deps.newId();
  const deleted: string[] = [];
  for (let from = 0; from < ids.length; from += MAX_DELETED_PER_UNIT) {
    const some = ids.slice(from, from + MAX_DELETED_PER_UNIT);
    const gone = await deps.store.transact(caller.organizationId, async (unit) => {
      await unit.expect?.({ ids: some });
      const done: string[] = [];
      for (const id of some) {
        const memory = await unit.findById(id);
        if (!memory || memory.deletedAt !== undefined || !isMeant(memory)) continue;
        await softDelete(deps, unit, caller, memory, { batchId });
        done.push(id);
      }
      return done;
    });
    deleted.push(...gone);
  }
  return deleted;
}
