import { createHash } from 'node:crypto';
import type { Filter } from 'mongodb';
import { isEmptyFilter } from '../../../domain/memory/filter.js';
import type { ReadScope } from '../../../ports/store.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import type { ReadOptions } from '../engine/read-options.js';

/** What a vector search goes by, beside its query. */
export interface SearchPlan {
  /** Of the vectors that take part: the one that the organization's settings name. */
  fingerprint: string;
  /** Few enough memories match for all of them to be looked at. */
  isSmall: boolean;
}

/** Plans remembered, those of the searches that came last. */
const REMEMBERED = 10_000;

/**
 * The plans of a process. A search goes by the one that held when somebody
 * last searched the same, and what holds now is read meanwhile: the search
 * waits for neither before the other, and is run again where it went wrong.
 */
export class SearchPlans {
  readonly #collections: Pick<Collections, 'memories' | 'organizations'>;
  readonly #exactRows: number;
  readonly #last = new Map<string, SearchPlan>();

  constructor(collections: Pick<Collections, 'memories' | 'organizations'>, exactRows: number) {
    this.#collections = collections;
    this.#exactRows = exactRows;
  }

  /** Undefined where there is no such organization. */
  async along<T>(
    organizationId: string,
    scope: ReadScope,
    search: (plan: SearchPlan) => Promise<T>,
    options: ReadOptions,
  ): Promise<T | undefined> {
    const key = keyOf(organizationId, scope);
    const reading = this.#read(organizationId, scope, options);
    const assumed = this.#last.get(key);
    const [plan, found] = await Promise.all([reading, assumed && search(assumed)]);
    this.#remember(key, plan);
    if (!plan) return undefined;
    return assumed && found !== undefined && holds(assumed, plan) ? found : search(plan);
  }

  async #read(organizationId: string, scope: ReadScope, options: ReadOptions): Promise<SearchPlan | undefined> {
    const { organizations } = this.#collections;
    const projection = { settings: 1, active: 1, deleted: 1 };
    const organization = await organizations.findOne({ _id: organizationId }, { projection, ...options });
    if (!organization) return undefined;
    const { settings, active, deleted } = organization;
    const fingerprint = settings.embeddingFingerprint ?? '';
    const rows = active + (scope.includeDeleted ? deleted : 0);
    const isSmall =
      rows <= this.#exactRows ||
      (await this.#matchFew(searchFilter(organizationId, scope, fingerprint), scope, options));
    return { fingerprint, isSmall };
  }

  /** In a large organization. */
  async #matchFew(filter: Filter<MemoryDocument>, scope: ReadScope, options: ReadOptions): Promise<boolean> {
    if (isEmptyFilter(scope.filter)) return false;
    const most = this.#exactRows;
    return (await this.#collections.memories.countDocuments(filter, { limit: most + 1, ...options })) <= most;
  }

  #remember(key: string, plan: SearchPlan | undefined): void {
    this.#last.delete(key);
    if (plan) this.#last.set(key, plan);
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= REMEMBERED) return;
      this.#last.delete(oldest);
    }
  }
}

/** Of one size, however long the filter is. */
function keyOf(organizationId: string, { filter, includeDeleted }: ReadScope): string {
  return createHash('sha256')
    .update(JSON.stringify([organizationId, filter, includeDeleted]))
    .digest('base64');
}

/** The memories of an organization whose vectors are of one embedder. */
export function searchFilter(organizationId: string, scope: ReadScope, fingerprint: string): Filter<MemoryDocument> {
  return { ...scopeFilter(organizationId, scope), fingerprint };
}

/** To look at all of many is slow, and right all the same. */
function holds(assumed: SearchPlan, plan: SearchPlan): boolean {
  return assumed.fingerprint === plan.fingerprint && (assumed.isSmall || !plan.isSmall);
}
