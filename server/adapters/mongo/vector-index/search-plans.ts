import { createHash } from 'node:crypto';
import type { Filter } from 'mongodb';
import { isEmptyFilter } from '../../../domain/filter/filter.js';
import type { SearchScope } from '../../../ports/memory-reader.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import type { ReadOptions } from '../engine/read-options.js';
import { searchedSlot, type VectorSlot } from '../engine/vectors.js';

/** The plan of a vector search. */
export interface SearchPlan {
  /** Fingerprint of the vectors to compare, from the organization's settings. */
  fingerprint: string;
  /** Slot of the vectors to compare. */
  slot: VectorSlot;
  /** True if few enough memories match to compare all of them. */
  isSmall: boolean;
}

/** A plan that was used, and when its matches were counted. */
interface UsedPlan extends SearchPlan {
  countedMs: number;
}

/** Number of plans kept, of the latest searches. */
const MAX_PLANS = 10_000;

/** How long a count of matches is used. It reads up to `exactRows` memories. */
const COUNT_KEPT_MS = 60_000;

/**
 * The plans of a process. A search uses the plan of the last equal search while the current plan is read at the same
 * time. If the plan was wrong, the search is repeated.
 */
export class SearchPlans {
  readonly #collections: Pick<Collections, 'memories' | 'organizations'>;
  readonly #exactRows: number;
  readonly #nowMs: () => number;
  readonly #last = new Map<string, UsedPlan>();

  constructor(
    collections: Pick<Collections, 'memories' | 'organizations'>,
    exactRows: number,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#collections = collections;
    this.#exactRows = exactRows;
    this.#nowMs = nowMs;
  }

  /** Runs `search` with its plan. Returns undefined if the organization does not exist or has no vectors. */
  async along<T>(
    organizationId: string,
    scope: SearchScope,
    search: (plan: SearchPlan) => Promise<T>,
    options: ReadOptions,
  ): Promise<T | undefined> {
    const key = keyOf(organizationId, scope);
    const assumed = this.#last.get(key);
    const reading = this.#read(organizationId, scope, assumed, options);
    const [plan, found] = await Promise.all([reading, assumed && search(assumed)]);
    this.#remember(key, plan);
    if (!plan) return undefined;
    return assumed && found !== undefined && holds(assumed, plan) ? found : search(plan);
  }

  async #read(
    organizationId: string,
    scope: SearchScope,
    last: UsedPlan | undefined,
    options: ReadOptions,
  ): Promise<UsedPlan | undefined> {
    const { organizations } = this.#collections;
    const projection = { settings: 1, vectorSlot: 1, active: 1, deleted: 1 };
    const organization = await organizations.findOne({ _id: organizationId }, { projection, ...options });
    if (!organization) return undefined;
    const { settings, active, deleted } = organization;
    const fingerprint = settings.embeddingFingerprint;
    if (fingerprint === undefined) return undefined;
    const vectors = { fingerprint, slot: searchedSlot(organization) };
    const rows = active + (scope.includeDeleted ? deleted : 0);
    const nowMs = this.#nowMs();
    if (rows <= this.#exactRows) return { ...vectors, isSmall: true, countedMs: -Infinity };
    if (last && isSameEmbedder(last, vectors) && nowMs < last.countedMs + COUNT_KEPT_MS) return last;
    const isSmall = await this.#matchFew(searchFilter(organizationId, scope, vectors), scope, options);
    return { ...vectors, isSmall, countedMs: nowMs };
  }

  /** Reports if few memories of a large organization match. */
  async #matchFew(filter: Filter<MemoryDocument>, scope: SearchScope, options: ReadOptions): Promise<boolean> {
    if (isEmptyFilter(scope.filter) && !scope.outside) return false;
    const most = this.#exactRows;
    return (await this.#collections.memories.countDocuments(filter, { limit: most + 1, ...options })) <= most;
  }

  #remember(key: string, plan: UsedPlan | undefined): void {
    this.#last.delete(key);
    if (plan) this.#last.set(key, plan);
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MAX_PLANS) return;
      this.#last.delete(oldest);
    }
  }
}

/** Returns a key of fixed size for a filter of any length. */
function keyOf(organizationId: string, { filter, includeDeleted, outside }: SearchScope): string {
  return createHash('sha256')
    .update(JSON.stringify([organizationId, filter, includeDeleted, outside]))
    .digest('base64');
}

/** Returns the filter of memories whose vectors are of one embedder. */
export function searchFilter(
  organizationId: string,
  scope: SearchScope,
  { fingerprint, slot }: Pick<SearchPlan, 'fingerprint' | 'slot'>,
): Filter<MemoryDocument> {
  return { ...scopeFilter(organizationId, scope), [slot.fingerprint]: fingerprint };
}

/** Reports if a result by the assumed plan is right. Comparing all of many memories is slow, but right. */
function holds(assumed: SearchPlan, plan: SearchPlan): boolean {
  return isSameEmbedder(assumed, plan) && (assumed.isSmall || !plan.isSmall);
}

type Embedded = Pick<SearchPlan, 'fingerprint' | 'slot'>;

function isSameEmbedder(one: Embedded, other: Embedded): boolean {
  return one.fingerprint === other.fingerprint && one.slot === other.slot;
}
