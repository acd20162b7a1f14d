import type { AnyBulkWriteOperation } from 'mongodb';
import { facetIn, facetValue } from '../../../domain/filter/facet.js';
import { FACET_KEYS, type FacetKey } from '../../../domain/filter/named-keys.js';
import type { Metadata } from '../../../domain/memory/memory.js';
import type { Collections, FacetCountDocument, MemoryDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import type { OrganizationState } from '../engine/organization-state.js';
import { type PlannedWrites, planned } from '../engine/unit-writer.js';

type Counted = Pick<MemoryDocument, 'live' | 'metadata' | 'createdAt'>;

/** The change of the counts of one facet. */
interface Change {
  key: FacetKey;
  active: number;
  all: number;
  value?: string;
}

/** The changes that a unit makes to the counts of facets. They are written at its end, one write a facet. */
export class UnitFacetCounts {
  readonly #facetCounts: Collections['facetCounts'];
  readonly #org: string;
  #changes = new Map<string, Change>();

  constructor(facetCounts: Collections['facetCounts'], org: string) {
    this.#facetCounts = facetCounts;
    this.#org = org;
  }

  get isPending(): boolean {
    return this.#changes.size > 0;
  }

  /** Records that a memory was stored, changed, or purged, unless the memory is not counted yet. */
  change(
    before: Counted | undefined,
    after: Counted | undefined,
    { facetsTo }: Pick<OrganizationState, 'facetsTo'>,
  ): void {
    if (before?.live === after?.live && before?.metadata === after?.metadata) return;
    const createdAt = before?.createdAt ?? after?.createdAt;
    if (createdAt === undefined || createdAt > facetsTo) return;
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  takePlanned(): PlannedWrites {
    return planned(this.#facetCounts, this.takeOperations());
  }

  /** Returns the pending writes, which the caller must write. A count of zero is removed, since it has a value. */
  takeOperations(): AnyBulkWriteOperation<FacetCountDocument>[] {
    const changed = [...this.#changes].filter(([, { active, all }]) => active !== 0 || all !== 0);
    const lost = changed.filter(([, { all }]) => all < 0).map(([facet]) => compoundId(this.#org, facet));
    this.#changes = new Map();
    const updates = changed.map(([facet, change]) => this.#update(facet, change));
    const removal = { deleteMany: { filter: { _id: { $in: lost }, all: 0 } } };
    return lost.length > 0 ? [...updates, removal] : updates;
  }

  #update(facet: string, { key, active, all, value }: Change): AnyBulkWriteOperation<FacetCountDocument> {
    const first = { org: this.#org, key, ...(value !== undefined && { value }) };
    const update = { $inc: { active, all }, $setOnInsert: first };
    return { updateOne: { filter: { _id: compoundId(this.#org, facet) }, update, upsert: true } };
  }

  #add({ live, metadata }: Counted, factor: 1 | -1): void {
    for (const { key, facet, value } of countedFacets(metadata)) {
      const change = this.#changes.get(facet) ?? { key, active: 0, all: 0 };
      this.#changes.set(facet, {
        ...change,
        active: change.active + (live ? factor : 0),
        all: change.all + factor,
        ...(value !== undefined && { value }),
      });
    }
  }
}

/** Returns the facets of the counted metadata keys. `value` is set if the facet does not have it. */
function countedFacets(json: string): { key: FacetKey; facet: string; value?: string }[] {
  const metadata = JSON.parse(json) as Metadata;
  return FACET_KEYS.flatMap((key) => {
    const facet = facetIn(metadata, key);
    if (facet === undefined) return [];
    return [{ key, facet, ...(facetValue(key, facet) === undefined && { value: String(metadata[key]) }) }];
  });
}
