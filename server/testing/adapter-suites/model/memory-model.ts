import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import { type Place, placeOf } from '../../../domain/documents/chunk.js';
import { type DocumentName, isOfDocument } from '../../../domain/documents/document.js';
import { facetOf } from '../../../domain/filter/facet.js';
import type { Filter } from '../../../domain/filter/filter.js';
import { hasTombstones } from '../../../domain/filter/tombstone.js';
import { type Memory, NO_SCOPE, type SubjectKey } from '../../../domain/memory/memory.js';
import { isScalar, type Scalar } from '../../../domain/memory/scalar.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import { blendRecency } from '../../../domain/retrieval/recency.js';
import type {
  FacetCount,
  Histogram,
  HistogramQuery,
  Included,
  ListQuery,
  ReadScope,
  Stats,
  StatsQuery,
  VectorQuery,
} from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import type { EmbeddedBy, UnitOfWork } from '../../../ports/unit-of-work.js';
import { FINGERPRINT, indexedBy, OTHER_FINGERPRINT, unitVector } from '../../fixtures/memories.js';
import { matches } from './model-filter.js';

export interface Stored {
  memory: Memory;
  embedding: Float32Array;
  fingerprint: string;
  /** The vector that no search compares: a pending or a former one. */
  other?: EmbeddedBy | undefined;
}

/** Computes what a store must return, by scanning all memories of one organization. */
export class MemoryModel {
  readonly stored = new Map<string, Stored>();
  /** Versions of each memory, oldest first. */
  readonly versions = new Map<string, MemoryVersion[]>();
  /** Tombstones as the list of changes returns them. */
  readonly tombstones: Memory[] = [];
  /** The number of versions that each memory has ever had. */
  readonly counted = new Map<string, number>();
  /** The fingerprint of the embedder in the settings. */
  fingerprint = FINGERPRINT;
  pending: string | undefined;
  former: string | undefined;

  copy(): MemoryModel {
    const copy = new MemoryModel();
    copy.become(this);
    return copy;
  }

  /** Replaces all contents of this model by those of the other. */
  become({ stored, versions, counted, tombstones, fingerprint, pending, former }: MemoryModel): void {
    const held = [...stored];
    const kept = [...versions];
    const counts = [...counted];
    this.stored.clear();
    this.versions.clear();
    this.counted.clear();
    for (const [id, count] of counts) this.counted.set(id, count);
    for (const [id, each] of held) this.stored.set(id, each);
    for (const [id, each] of kept) this.versions.set(id, [...each]);
    this.tombstones.splice(0, this.tombstones.length, ...tombstones);
    this.fingerprint = fingerprint;
    this.pending = pending;
    this.former = former;
  }

  /** Begins to re-embed with the embedder that is not searched, or cancels that. */
  async pend(unit: UnitOfWork): Promise<void> {
    const target = this.fingerprint === FINGERPRINT ? OTHER_FINGERPRINT : FINGERPRINT;
    [this.pending, this.former] = this.pending === undefined ? [target, undefined] : [undefined, this.pending];
    await this.#saveEmbedders(unit);
  }

  async storePending(unit: UnitOfWork, target: Stored, embedding: Float32Array): Promise<void> {
    const other = this.pendingOf(embedding);
    if (!other) return;
    await unit.storePending(target.memory.id, other);
    this.stored.set(target.memory.id, { ...target, other });
  }

  /** Returns a vector as that of the pending embedder, if there is one. */
  pendingOf(embedding: Float32Array): EmbeddedBy | undefined {
    return this.pending === undefined ? undefined : { embedding, fingerprint: this.pending };
  }

  get unembedded(): Stored[] {
    const { pending } = this;
    if (pending === undefined) return [];
    return [...this.stored.values()].filter(({ other }) => other?.fingerprint !== pending);
  }

  /** Switches to the pending embedder if every memory has its vector. */
  async switchEmbedder(unit: UnitOfWork): Promise<void> {
    const { pending } = this;
    if (pending === undefined) return;
    const isComplete = this.unembedded.length === 0;
    expect(await unit.isPendingComplete()).toBe(isComplete);
    if (!isComplete) return;
    [this.fingerprint, this.pending, this.former] = [pending, undefined, this.fingerprint];
    for (const [id, { memory, embedding, fingerprint, other }] of this.stored) {
      this.stored.set(id, { memory, ...other!, other: { embedding, fingerprint } });
    }
    await this.#saveEmbedders(unit);
  }

  /** Deletes the former vectors, at most `limit` at a time. */
  async deleteFormer(unit: UnitOfWork, limit: number): Promise<void> {
    const { former } = this;
    const held = [...this.stored.values()].filter(({ other }) => other && other.fingerprint === former);
    const deleted: number[] = [];
    do deleted.push(await unit.deleteFormerVectors(limit));
    while (deleted.at(-1) !== 0);
    expect(deleted.every((count) => count <= limit)).toBe(true);
    expect(deleted.reduce((sum, count) => sum + count)).toBe(former === undefined ? 0 : held.length);
    if (former === undefined) return;
    for (const { other: _, ...rest } of held) this.stored.set(rest.memory.id, rest);
    this.former = undefined;
    await this.#saveEmbedders(unit);
  }

  async #saveEmbedders(unit: UnitOfWork): Promise<void> {
    const { pendingFingerprint: _, formerFingerprint: __, ...settings } = await unit.settings();
    const saved: OrganizationSettings = { ...settings, embeddingFingerprint: this.fingerprint };
    if (this.pending !== undefined) saved.pendingFingerprint = this.pending;
    if (this.former !== undefined) saved.formerFingerprint = this.former;
    await unit.saveSettings(saved);
  }

  /** Stores the current state of a memory, and keeps the former one as a version. */
  put(stored: Stored): void {
    const { memory } = stored;
    const before = this.stored.get(memory.id)?.memory;
    if (before && !isSameState(before, memory)) this.#keep(before, memory);
    this.stored.set(stored.memory.id, stored);
  }

  get activeBytes(): number {
    return this.active.reduce((sum, { content, metadata }) => {
      return sum + Buffer.byteLength(content + JSON.stringify(metadata)) + 4_096;
    }, 0);
  }

  #keep({ id, content, metadata, subjectKey, updatedAt }: Memory, by: Memory): void {
    const kept = this.versions.get(id) ?? [];
    const number = (this.counted.get(id) ?? 0) + 1;
    this.counted.set(id, number);
    const version = { memoryId: id, number, content, metadata, updatedAt, replacedAt: by.updatedAt };
    this.versions.set(id, [...kept, { ...version, ...(subjectKey !== undefined && { subjectKey }) }].slice(-10));
  }

  purge(id: string, at: number): void {
    const { memory } = this.stored.get(id)!;
    const { organizationId, createdAt, deletedAt } = memory;
    this.stored.delete(id);
    this.versions.delete(id);
    this.tombstones.push({
      id,
      organizationId,
      content: '',
      metadata: {},
      scope: NO_SCOPE,
      createdAt,
      updatedAt: at,
      deletedAt: deletedAt!,
      purgedAt: at,
    });
  }

  /** Removes versions about a subject, and returns their number. */
  removeVersions(subjectKey: SubjectKey): number {
    let removed = 0;
    for (const [id, versions] of this.versions) {
      const rest = versions.filter((version) => version.subjectKey !== subjectKey);
      removed += versions.length - rest.length;
      this.versions.set(id, rest);
    }
    return removed;
  }

  get active(): Memory[] {
    return this.#where({ filter: { metadata: [] }, includeDeleted: false });
  }

  list(query: ListQuery): Memory[] {
    const time = timeOf(query.order);
    const way = query.order === 'newest' || query.order === 'lastChanged' ? -1 : 1;
    const tombstones = hasTombstones(query) ? this.tombstones : [];
    return [...this.#where(query), ...tombstones]
      .filter((memory) => query.since === undefined || memory[time] >= query.since)
      .filter((memory) => query.until === undefined || memory[time] < query.until)
      .filter(({ [time]: at, id }) => !query.after || way * compare([at, id], [query.after.at, query.after.id]) > 0)
      .sort((a, b) => way * compare([a[time], a.id], [b[time], b.id]))
      .slice(0, query.limit);
  }

  /** Returns every memory that a search may return, best first; the order of ties is arbitrary. */
  ranked(query: VectorQuery): { id: string; similarity: number; score: number }[] {
    return this.#where(query)
      .filter((memory) => !query.outside?.some((document) => isOfDocument(memory, document)))
      .filter(({ id }) => this.stored.get(id)!.fingerprint === this.fingerprint)
      .map(({ id, createdAt }) => {
        const similarity = Math.min(1, Math.max(0, cosine(this.stored.get(id)!.embedding, query.vector)));
        const score = query.recency ? blendRecency(similarity, createdAt, query.recency) : similarity;
        return { id, similarity, score };
      })
      .filter(({ similarity }) => similarity >= (query.minSimilarity ?? 0))
      .sort((a, b) => b.score - a.score);
  }

  countByDocument(scope: ReadScope, documents: readonly DocumentName[]): number[] {
    const memories = this.#where(scope);
    return documents.map((document) => memories.filter((memory) => isOfDocument(memory, document)).length);
  }

  /** Returns the active memory with a key, or else the one deleted last. */
  keyed(externalKey: string): Memory | undefined {
    const all = [...this.stored.values()]
      .map(({ memory }) => memory)
      .filter((each) => each.externalKey === externalKey);
    const goneAt = ({ deletedAt = Number.POSITIVE_INFINITY }: Memory) => deletedAt;
    return all.sort((a, b) => goneAt(b) - goneAt(a))[0];
  }

  expiring(): Memory[] {
    return this.active
      .filter(({ expiresAt }) => expiresAt !== undefined)
      .sort((a, b) => a.expiresAt! - b.expiresAt! || a.createdAt - b.createdAt);
  }

  sameWords(place: Place, wordsHash: string): string[] {
    return this.active
      .filter((memory) => !memory.distinct && isAt(memory, place) && indexedBy(memory).wordsHash === wordsHash)
      .sort((a, b) => a.createdAt - b.createdAt)
      .map(({ id }) => id);
  }

  stats(query: StatsQuery): Stats {
    const matching = this.#where(query);
    const facets = query.facets.map((key): [string, FacetCount[]] => {
      const counts = new Map<FacetCount['value'], number>();
      for (const { metadata } of matching) {
        const value = metadata[key] as FacetCount['value'];
        if (Object.hasOwn(metadata, key) && (value === null || typeof value !== 'object')) {
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
      }
      return [key, Array.from(counts, ([value, count]) => ({ value, count }))];
    });
    const total = this.#where({ filter: { metadata: [] }, includeDeleted: query.includeDeleted }).length;
    return { facets: Object.fromEntries(facets), total, filtered: matching.length };
  }

  /** Counts every value of the facet, in any order. */
  histogram(query: HistogramQuery): Histogram {
    const { starts, since, until, facet } = query;
    const intervalOf = ({ [query.time]: at }: Memory) => starts.findLastIndex((start) => start <= at);
    const matching = this.#where(query).filter(({ [query.time]: at }) => at >= since && at < until);
    const count = (memories: readonly Memory[]) =>
      starts.map((_, index) => memories.filter((memory) => intervalOf(memory) === index).length);
    if (!facet) return { counts: count(matching) };
    const groups = new Map<string, { value: Scalar; memories: Memory[] }>();
    for (const memory of matching) {
      const value = Object.hasOwn(memory.metadata, facet.key) ? memory.metadata[facet.key] : undefined;
      if (value === undefined || !isScalar(value)) continue;
      const name = facetOf(facet.key, value);
      groups.set(name, { value, memories: [...(groups.get(name)?.memories ?? []), memory] });
    }
    const series = [...groups].map(([, { value, memories }]) => ({
      value,
      count: memories.length,
      counts: count(memories),
    }));
    return { counts: count(matching), series };
  }

  /** Reports if another active memory has the same content or key. */
  clashes(memory: Memory): boolean {
    return this.active.some(
      (other) =>
        other.id !== memory.id &&
        ((!memory.distinct && !other.distinct && isAt(other, placeOf(memory)) && other.content === memory.content) ||
          (memory.externalKey !== undefined && other.externalKey === memory.externalKey)),
    );
  }

  #where({ filter, includeDeleted }: { filter: Filter; includeDeleted: Included }): Memory[] {
    return [...this.stored.values()]
      .map(({ memory }) => memory)
      .filter(({ deletedAt }) => (deletedAt === undefined ? includeDeleted !== 'only' : includeDeleted !== false))
      .filter((memory) => matches(memory, filter));
  }
}

function isSameState(one: Memory, other: Memory): boolean {
  const stateOf = ({ content, metadata, subjectKey }: Memory) => ({ content, metadata, subjectKey });
  return isDeepStrictEqual(stateOf(one), stateOf(other));
}

/** Generates vectors of length 1 in every direction. */
export const vectors = fc
  .array(fc.integer({ min: -50, max: 50 }), { minLength: 8, maxLength: 8 })
  .filter((components) => components.some((component) => component !== 0))
  .map((components) => unitVector(components));

/** Expects the same scores in the same order from store and model; the order of ties is free. */
export async function expectNearest(
  tested: Store,
  organizationId: string,
  model: MemoryModel,
  query: VectorQuery,
): Promise<void> {
  const expected = model.ranked(query);
  const found = await tested.memories.nearest(organizationId, query);

  expect(found).toHaveLength(Math.min(query.limit, expected.length));
  for (const [index, match] of found.entries()) {
    expect(match.score).toBeCloseTo(expected[index]!.score, 5);
    expect(match.memory).toEqual(model.stored.get(match.memory.id)!.memory);
    expect(match.similarity).toBeCloseTo(expected.find(({ id }) => id === match.memory.id)!.similarity, 5);
  }
}

export function isAt(memory: Memory, { subjectKey, chunk }: Place): boolean {
  const at = placeOf(memory);
  return at.subjectKey === subjectKey && at.chunk === chunk;
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}

function timeOf(order: ListQuery['order']): 'createdAt' | 'updatedAt' {
  return order === 'changed' || order === 'lastChanged' ? 'updatedAt' : 'createdAt';
}

function compare([at, id]: [number, string], [otherAt, otherId]: [number, string]): number {
  return at - otherAt || (id < otherId ? -1 : id > otherId ? 1 : 0);
}
