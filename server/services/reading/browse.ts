import type { Caller } from '../../domain/account/caller.js';
import { PAGE_BYTES, PREVIEW_PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { Filter } from '../../domain/filter/filter.js';
import { bucketStarts, type Interval } from '../../domain/memory/buckets.js';
import { countWithin, memoryBytes } from '../../domain/memory/page-bytes.js';
import { type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { Histogram, Included, ListedMemory, ListQuery } from '../../ports/memory-reader.js';
import { type ExpireDeps, expireDue } from '../memories/expire.js';

interface BrowseScope {
  filter: Filter;
  includeDeleted: Included;
}

export interface BrowseQuery extends BrowseScope, PageQuery {
  sort: 'createdAt' | 'updatedAt';
  direction: 'asc' | 'desc';
  since?: Microseconds | undefined;
  until?: Microseconds | undefined;
  preview?: number | undefined;
}

export interface CountQuery extends BrowseScope {
  interval: Interval;
  time: 'createdAt' | 'updatedAt';
  since: Microseconds;
  /** Default: now. */
  until?: Microseconds | undefined;
  facet?: { key: string; values: number } | undefined;
}

const ORDERS = {
  createdAt: { asc: 'oldest', desc: 'newest' },
  updatedAt: { asc: 'changed', desc: 'lastChanged' },
} as const satisfies Record<BrowseQuery['sort'], Record<BrowseQuery['direction'], ListQuery['order']>>;

/** Returns a page of memories for a person who browses. It is not metered. */
export async function listMemories(
  deps: ExpireDeps,
  caller: Caller,
  { sort, direction, ...query }: BrowseQuery,
): Promise<Page<ListedMemory>> {
  await expireDue(deps, caller);
  const maxBytes = query.preview === undefined ? PAGE_BYTES : PREVIEW_PAGE_BYTES;
  const found = await deps.store.memories.list(
    caller.organizationId,
    { ...withOneMore(query), order: ORDERS[sort][direction], memoriesOnly: true, maxBytes },
    caller.gone?.signal,
  );
  const length = Math.min(query.limit, countWithin(found, maxBytes, memoryBytes));
  return pageOf(found, length, (memory) => ({ at: memory[sort], id: memory.id }));
}

/**
 * Counts memories by interval for a person who browses. It is not metered.
 *
 * @throws {UnprocessableError} if there are too many intervals
 */
export async function countByInterval(
  deps: ExpireDeps,
  caller: Caller,
  { interval, until = deps.now(), ...query }: CountQuery,
): Promise<Histogram & { starts: readonly Microseconds[] }> {
  const starts = bucketStarts(interval, query.since, until);
  await expireDue(deps, caller);
  const histogram = { ...query, interval, until, starts };
  return { ...(await deps.store.memories.histogram(caller.organizationId, histogram, caller.gone?.signal)), starts };
}
