import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { Filter } from '../../domain/filter/filter.js';
import { FACET_KEYS, type FacetKey } from '../../domain/filter/named-keys.js';
import type { Memory } from '../../domain/memory/memory.js';
import { countWithin, memoryBytes } from '../../domain/memory/page-bytes.js';
import { byCreation, type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { NotFoundError } from '../../errors.js';
import type { FacetCount, ListQuery, MemoryLines, ReadScope, Stats } from '../../ports/memory-reader.js';
import { meteredRead } from '../billing/metered-read.js';
import { type ExpireDeps, expireDue } from '../memories/expire.js';

type ReadDeps = ExpireDeps & Pick<Deps, 'billing'>;

const MAX_VALUES_PER_FACET = 100;

/** Counts of memories, with the values of each facet. */
interface MemoryStats extends Stats {
  facets: Record<FacetKey, FacetCount[]>;
  /** Facets that have more values than are counted here. */
  truncated: FacetKey[];
}

/** @throws {NotFoundError} for unknown, foreign and malformed ids, and for deleted ones unless included */
export async function getMemory(
  deps: ExpireDeps,
  caller: Caller,
  id: string,
  includeDeleted: boolean,
): Promise<Memory> {
  await expireDue(deps, caller);
  const memory = await deps.store.memories.findById(caller.organizationId, id);
  if (!memory || (memory.deletedAt !== undefined && !includeDeleted)) throw new NotFoundError();
  return memory;
}

/**
 * Returns the newest memories (section 4.10), at most `limit` and `PAGE_BYTES`.
 *
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function listRecent(deps: ReadDeps, caller: Caller, scope: ReadScope, limit: number): Promise<Memory[]> {
  const found = await listMetered(deps, caller, { ...scope, order: 'newest', limit });
  return found.slice(0, countWithin(found, PAGE_BYTES, memoryBytes));
}

/**
 * Returns a page of all memories, oldest first (section 4.7).
 *
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function exportPage(
  deps: ReadDeps,
  caller: Caller,
  scope: ReadScope,
  page: PageQuery,
): Promise<Page<Memory>> {
  const found = await listMetered(deps, caller, { ...scope, order: 'oldest', ...withOneMore(page) });
  return pageOf(found, pageLength(found, page), byCreation);
}

/** A page of memories as JSON lines in UTF-8. */
export type LinesPage = Omit<Page<never>, 'items'> & Pick<MemoryLines, 'lines' | 'release'>;

/**
 * Returns the page of `exportPage` as JSON lines; undefined if the store cannot write them.
 *
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function exportLines(
  deps: ReadDeps,
  caller: Caller,
  scope: ReadScope,
  wanted: PageQuery,
): Promise<LinesPage | undefined> {
  const { memories } = deps.store;
  const listLines = memories.listLines?.bind(memories);
  if (!listLines) return undefined;
  await expireDue(deps, caller);
  const query = { ...scope, order: 'oldest', ...wanted, maxBytes: PAGE_BYTES } as const;
  const { last, ...page } = await meteredRead(deps, caller, () =>
    listLines(caller.organizationId, query, caller.gone?.signal),
  );
  return { ...page, ...(last && { last: byCreation(last) }) };
}

/**
 * Returns a page of the changes since a time, in the order of the organization's clock (section 4.9).
 *
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function listChanges(
  deps: ReadDeps,
  caller: Caller,
  scope: ReadScope,
  page: PageQuery & { since: Microseconds },
): Promise<Page<Memory>> {
  const found = await listMetered(deps, caller, { ...scope, order: 'changed', ...withOneMore(page) });
  return pageOf(found, pageLength(found, page), ({ updatedAt, id }) => ({ at: updatedAt, id }));
}

/**
 * Counts memories, and the values of their facets (section 4.8).
 *
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function countMemories(
  deps: ReadDeps,
  caller: Caller,
  filter: Filter,
  includeDeleted: boolean,
): Promise<MemoryStats> {
  const { organizationId } = caller;
  await expireDue(deps, caller);
  const query = { filter, includeDeleted, facets: FACET_KEYS, valuesPerFacet: MAX_VALUES_PER_FACET + 1 };
  const stats = await meteredRead(deps, caller, () =>
    deps.store.memories.stats(organizationId, query, caller.gone?.signal),
  );
  const facets = FACET_KEYS.map((key) => [key, (stats.facets[key] ?? []).slice(0, MAX_VALUES_PER_FACET)] as const);
  const truncated = FACET_KEYS.filter((key) => (stats.facets[key]?.length ?? 0) > MAX_VALUES_PER_FACET);
  return { ...stats, facets: Object.fromEntries(facets) as MemoryStats['facets'], truncated };
}

/** Returns the kind of a memory's last change (section 4.9). */
export function changeOf(memory: Memory): 'created' | 'updated' | 'deleted' {
  if (memory.deletedAt !== undefined) return 'deleted';
  return memory.updatedAt === memory.createdAt ? 'created' : 'updated';
}

/** Returns how many memories a page has: fewer than `limit` if they are large. */
function pageLength(found: readonly Memory[], { limit }: PageQuery): number {
  return Math.min(limit, countWithin(found, PAGE_BYTES, memoryBytes));
}

async function listMetered(deps: ReadDeps, caller: Caller, query: ListQuery): Promise<Memory[]> {
  await expireDue(deps, caller);
  const bounded = { ...query, maxBytes: PAGE_BYTES };
  return meteredRead(deps, caller, () => deps.store.memories.list(caller.organizationId, bounded, caller.gone?.signal));
}
