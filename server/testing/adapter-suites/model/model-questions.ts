import fc from 'fast-check';
import { expect } from 'vitest';
import { chunkIdentity } from '../../../domain/documents/chunk.js';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { bucketStarts } from '../../../domain/memory/buckets.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Histogram, ListQuery } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { indexedBy } from '../../fixtures/memories.js';
import { filters } from '../search/arbitrary-filters.js';
import { expectedRelevances } from '../search/word-model.js';
import { cosine, expectNearest, type MemoryModel, vectors } from './memory-model.js';
import { nth, WORDS } from './model-steps.js';

/** Random reads of every kind. */
export const questions = fc.record({
  filter: filters,
  includeDeleted: fc.boolean(),
  vector: vectors,
  limit: fc.integer({ min: 1, max: 12 }),
  minSimilarity: fc.constantFrom(undefined, undefined, 0.3),
  weight: fc.constantFrom(undefined, 0, 0.4, 1),
  word: fc.constantFrom(...WORDS),
  since: nth,
  restarts: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
});
export type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;

/** Compares the answers of a store with those of the model. */
export async function compare(
  tested: Store,
  organizationId: string,
  model: MemoryModel,
  question: Question,
  now: number,
): Promise<void> {
  await compareLists(tested, organizationId, model, question);
  await compareStats(tested, organizationId, model, question);
  await compareHistograms(tested, organizationId, model, question);
  await compareNearest(tested, organizationId, model, question, now);
  await compareWords(tested, organizationId, model, question);
  expect(await tested.usage.storedBytes(organizationId)).toBe(model.activeBytes);
  await compareVersions(tested, organizationId, model);
  await compareUnembedded(tested, organizationId, model);
  await tested.transact(organizationId, async (work) => {
    const { subjectKey } = question.filter;
    const expiring = await work.findExpiring(1_000);
    expect(expiring.map(({ expiresAt }) => expiresAt)).toEqual(model.expiring().map(({ expiresAt }) => expiresAt));
    expect(byId(expiring)).toEqual(byId(model.expiring()));
    for (const { memory, embedding, fingerprint } of model.stored.values()) {
      const { wordsHash } = indexedBy(memory);
      const place = { subjectKey, chunk: chunkIdentity(memory.metadata) };
      const found = (await work.findActiveByWords(place, wordsHash, 1_000)).map(({ id }) => id);
      expect(found).toEqual(model.sameWords(place, wordsHash));
      const similarity = await work.similarityOf(memory.id, question.vector);
      if (fingerprint !== model.fingerprint) expect(similarity).toBeUndefined();
      else expect(similarity).toBeCloseTo(Math.max(0, cosine(embedding, question.vector)), 5);
    }
  });
}

async function compareLists(tested: Store, organizationId: string, model: MemoryModel, question: Question) {
  const { filter, includeDeleted, limit } = question;
  const all = [...model.stored.values()];
  const somewhere = all[question.since % Math.max(1, all.length)]?.memory;
  const until = somewhere?.updatedAt ?? 0;
  const more: Partial<ListQuery>[] = [{}, { includeDeleted: 'only' }, { until, memoriesOnly: true }];
  const browsed = more[question.since % more.length];
  for (const order of ['oldest', 'newest', 'changed', 'lastChanged'] as const) {
    const at = somewhere?.[order === 'oldest' || order === 'newest' ? 'createdAt' : 'updatedAt'] ?? 0;
    const after = { at, id: somewhere?.id ?? '' };
    const bounds = [{}, { since: at }, { after }, { since: at + 1 - (question.since % 3), after }];
    for (const bound of bounds) {
      const query: ListQuery = { filter, includeDeleted, order, limit, ...browsed, ...bound };
      expect(await tested.memories.list(organizationId, query)).toEqual(model.list(query));
    }
  }
}

async function compareVersions(tested: Store, organizationId: string, model: MemoryModel) {
  for (const id of model.stored.keys()) {
    const newestFirst = (model.versions.get(id) ?? []).toReversed();
    expect(await tested.versions.list(organizationId, id, { limit: 100 })).toEqual(newestFirst);
  }
}

async function compareUnembedded(tested: Store, organizationId: string, model: MemoryModel) {
  const found: Memory[] = [];
  for (let after: number | undefined; ; ) {
    const { memories, next } = await tested.memories.findUnembedded(organizationId, 2, after);
    expect(memories.length).toBeLessThanOrEqual(2);
    found.push(...memories);
    if (next === undefined) break;
    after = next;
  }
  const oldestFirst = model.unembedded.map(({ memory }) => memory).sort((a, b) => a.createdAt - b.createdAt);
  expect(found).toEqual(oldestFirst);
  const counts = { all: model.stored.size, unembedded: model.unembedded.length };
  expect(await tested.memories.countUnembedded(organizationId)).toEqual(counts);
}

async function compareStats(tested: Store, organizationId: string, model: MemoryModel, question: Question) {
  const { filter, includeDeleted } = question;
  const sorted = ({ facets, ...rest }: Awaited<ReturnType<Store['memories']['stats']>>) => ({
    ...rest,
    facets: Object.entries(facets).map(([key, counts]) => [key, counts.map((count) => JSON.stringify(count)).sort()]),
  });
  // A store may count all memories in another way than those that a filter matches.
  for (const asked of [
    { filter, facets: ['kind', '$where'] },
    { filter: NO_FILTER, facets: ['kind', 'project'] },
  ]) {
    const query = { ...asked, includeDeleted, valuesPerFacet: 100 };
    expect(sorted(await tested.memories.stats(organizationId, query))).toEqual(sorted(model.stats(query)));
  }
}

async function compareHistograms(tested: Store, organizationId: string, model: MemoryModel, question: Question) {
  const { filter, includeDeleted, limit } = question;
  const times = [...model.stored.values()].flatMap(({ memory: { createdAt, updatedAt } }) => [createdAt, updatedAt]);
  const [since, until] = times.length === 0 ? [0, 0] : [Math.min(...times), Math.max(...times)];
  const starts = bucketStarts('hour', since, until);
  const split = question.since % 2 === 0 && { facet: { key: 'kind', values: 100 } };
  const time = limit % 2 === 0 ? 'createdAt' : 'updatedAt';
  const query = { filter, includeDeleted, since, until, interval: 'hour', starts, time, ...split } as const;
  const sorted = ({ counts, series = [] }: Histogram) => [counts, series.map((each) => JSON.stringify(each)).sort()];
  expect(sorted(await tested.memories.histogram(organizationId, query))).toEqual(sorted(model.histogram(query)));
}

async function compareNearest(
  tested: Store,
  organizationId: string,
  model: MemoryModel,
  { filter, includeDeleted, vector, limit, minSimilarity, weight }: Question,
  now: number,
) {
  await expectNearest(tested, organizationId, model, {
    filter,
    includeDeleted,
    vector,
    limit,
    ...(minSimilarity !== undefined && { minSimilarity }),
    ...(weight !== undefined && { recency: { weight, halflifeDays: 0.2, now } }),
  });
}

async function compareWords(tested: Store, organizationId: string, model: MemoryModel, question: Question) {
  const { filter, includeDeleted, word } = question;
  const scope = { filter, includeDeleted };
  const expected = expectedRelevances(model, scope, word);
  const query = { ...scope, text: `${word} zebra`, limit: 1_000 };
  const { matches: found } = await tested.memories.matching(organizationId, query);
  const relevances = found.map(({ relevance }) => relevance);
  expect(relevances).toEqual([...relevances].sort((a, b) => b - a));
  expect(new Set(found.map(({ memory }) => memory))).toEqual(new Set(expected.keys()));
  for (const { memory, relevance } of found) {
    expect(relevance).toBeCloseTo(expected.get(model.stored.get(memory.id)!.memory)!, 9);
  }
}

function byId(memories: readonly Memory[]): ReadonlyMap<string, Memory> {
  return new Map(memories.map((memory) => [memory.id, memory]));
}
