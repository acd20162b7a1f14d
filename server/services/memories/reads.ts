import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Filter } from '../../domain/memory/filter.js';
import type { Memory } from '../../domain/memory/memory.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { NotFoundError } from '../../errors.js';
import type { ListQuery, Position, ReadScope, Stats } from '../../ports/store.js';
import { meteredRead } from '../billing/metered-read.js';

type ReadDeps = Pick<Deps, 'store' | 'now' | 'billing'>;

/** Metadata keys whose values are counted (section 4.8). */
const FACETS = ['agentId', 'source', 'surface', 'project', 'kind'] as const;

const VALUES_PER_FACET = 100;

/** A page of a listing, and where the next one starts. */
export interface Page {
  memories: Memory[];
  hasMore: boolean;
  /** The last memory's place in the listing; undefined for an empty page. */
  last?: Position;
}

/** @throws {NotFoundError} for unknown, foreign and malformed ids, and for soft-deleted ones unless they are asked for */
export async function getMemory(
  { store }: Pick<Deps, 'store'>,
  caller: Caller,
  id: string,
  includeDeleted: boolean,
): Promise<Memory> {
  const memory = await store.memories.findById(caller.organizationId, id);
  if (!memory || (memory.deletedAt !== undefined && !includeDeleted)) throw new NotFoundError();
  return memory;
}

/**
 * The newest memories (section 4.10).
 *
 * @throws {QuotaExceededError} when the monthly cap of searches is reached
 */
export async function listRecent(deps: ReadDeps, caller: Caller, scope: ReadScope, limit: number): Promise<Memory[]> {
  return listMetered(deps, caller, { ...scope, order: 'newest', limit });
}

/**
 * A page of all memories, oldest first (section 4.7).
 *
 * @throws {QuotaExceededError} when the monthly cap of searches is reached
 */
export async function exportPage(
  deps: ReadDeps,
  caller: Caller,
  scope: ReadScope,
  page: { limit: number; after?: Position | undefined },
): Promise<Page> {
  const { limit, after } = page;
  const query: ListQuery = { ...scope, order: 'oldest', ...(after && { after }), limit: limit + 1 };
  const found = await listMetered(deps, caller, query);
  return toPage(found, limit, (memory) => memory.createdAt);
}

/**
 * A page of what changed since a time, in the order of the organization's clock (section 4.9).
 *
 * @throws {QuotaExceededError} when the monthly cap of searches is reached
 */
export async function listChanges(
  deps: ReadDeps,
  caller: Caller,
  scope: ReadScope,
  page: { since: Microseconds; limit: number; after?: Position | undefined },
): Promise<Page> {
  const { since, limit, after } = page;
  const query: ListQuery = { ...scope, order: 'changed', since, ...(after && { after }), limit: limit + 1 };
  const found = await listMetered(deps, caller, query);
  return toPage(found, limit, (memory) => memory.updatedAt);
}

/**
 * Counts memories, and the values of the well-known metadata keys (section 4.8).
 *
 * @throws {QuotaExceededError} when the monthly cap of searches is reached
 */
export async function countMemories(
  deps: ReadDeps,
  caller: Caller,
  filter: Filter,
  includeDeleted: boolean,
): Promise<Stats> {
  const { organizationId } = caller;
  const query = { filter, includeDeleted, facets: FACETS, valuesPerFacet: VALUES_PER_FACET };
  return meteredRead(deps, caller, () => deps.store.memories.stats(organizationId, query));
}

/** The kind of change that a memory's last write was (section 4.9). */
export function changeOf(memory: Memory): 'created' | 'updated' | 'deleted' {
  if (memory.deletedAt !== undefined) return 'deleted';
  return memory.updatedAt === memory.createdAt ? 'created' : 'updated';
}

function toPage(found: Memory[], limit: number, at: (memory: Memory) => Microseconds): Page {
  const memories = found.slice(0, limit);
  const last = memories.at(-1);
  return { memories, hasMore: found.length > limit, ...(last && { last: { at: at(last), id: last.id } }) };
}

function listMetered(deps: ReadDeps, caller: Caller, query: ListQuery): Promise<Memory[]> {
  return meteredRead(deps, caller, () => deps.store.memories.list(caller.organizationId, query));
}
