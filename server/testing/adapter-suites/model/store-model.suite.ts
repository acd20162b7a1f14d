import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkIdentity, placeOf } from '../../../domain/documents/chunk.js';
import { bucketStarts } from '../../../domain/memory/buckets.js';
import { type Memory, type Metadata, NO_SCOPE, type SubjectKey } from '../../../domain/memory/memory.js';
import type { Histogram, ListQuery } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import type { ExpectedWrite } from '../../../ports/unit-of-work.js';
import { anOrganization, type Given, indexedBy, insertInto } from '../../fixtures/memories.js';
import { filters, STEP, STRINGS } from '../search/arbitrary-filters.js';
import { expectedRelevances } from '../search/word-model.js';
import type { StoreOpening } from '../store.suite.js';
import { cosine, expectNearest, isAt, MemoryModel, vectors } from './memory-model.js';

const WORDS = ['amber', 'birch', 'cédar', 'dune'];

const subjectKeys = fc.constantFrom<SubjectKey | undefined>(undefined, undefined, 1, '1', 'anna');
const values = fc.constantFrom<unknown>(...STRINGS, 1, -2.5, 10, null, true, { deep: 1 }, ['a']);
const labels: fc.Arbitrary<Metadata> = fc.dictionary(fc.constantFrom('kind', 'a.b', '$where'), values);
const chunks: fc.Arbitrary<Metadata> = fc.record({
  documentId: fc.constantFrom('d', 'e'),
  chunkIndex: fc.constantFrom(0, 0, 1, 1, 2, 4),
  chunkTotal: fc.constantFrom(5, 6),
});
const metadata = fc
  .tuple(labels, fc.option(chunks, { nil: {}, freq: 2 }))
  .map(([label, chunk]): Metadata => ({ ...label, ...chunk }));
const contents = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const nth = fc.nat(1_000);
const expiries = fc.constantFrom(undefined, undefined, 7, 8, 9);
const distinct = fc.constantFrom(undefined, undefined, true as const);

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('insert' as const),
      contents,
      metadata,
      subjectKeys,
      vectors,
      keyed: nth,
      isForeign: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
      isPending: fc.boolean(),
      expiries,
      distinct,
      // Whole multiples of STEP, so that creation times coincide.
      ageUs: fc.constantFrom(0, 0, 0, 0, STEP, 2 * STEP),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('content' as const), nth, contents, vectors, isPending: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('metadata' as const), nth, metadata, subjectKeys, expiries, distinct }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), nth, contents, vectors, isPending: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('erase' as const), subject: fc.constantFrom<SubjectKey>(1, '1', 'anna') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('embed' as const), nth, vectors }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('pend' as const, 'switch' as const, 'clean' as const), vectors }),
  },
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;
const units = fc.record({
  steps: fc.array(steps, { maxLength: 8 }),
  fails: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
  announces: fc.boolean(),
});
type Unit = typeof units extends fc.Arbitrary<infer T> ? T : never;

const questions = fc.record({
  filter: filters,
  includeDeleted: fc.boolean(),
  vector: vectors,
  limit: fc.integer({ min: 1, max: 12 }),
  minSimilarity: fc.constantFrom(undefined, undefined, 0.3),
  weight: fc.constantFrom(undefined, 0, 0.4, 1),
  word: fc.constantFrom(...WORDS),
  since: nth,
  restarts: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  only: fc.option(fc.array(nth, { maxLength: 5 })),
});
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;

/** Compares random writes and failures, and every kind of read, with a model that scans everything. */
export function modelSuite(name: string, { openEmpty, reopen, modelRuns = 60 }: StoreOpening): void {
  describe(`${name}: model`, () => {
    test('returns the same as a scan of every memory', { timeout: 120_000 }, async () => {
      let wall = STEP;
      let tested = await openEmpty({ now: () => wall });

      const property = fc.asyncProperty(
        fc.array(fc.tuple(units, questions), { minLength: 1, maxLength: 6 }),
        async (rounds) => {
          const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
          const [model, otherModel] = [new MemoryModel(), new MemoryModel()];
          for (const [unit, question] of rounds) {
            wall += STEP;
            if (question.restarts && reopen) tested = await reopen(tested);
            if (unit.announces) await tested.preparePending?.(organizationId);
            await play(tested, organizationId, model, unit);
            await play(tested, other, otherModel, unit);
            await compare(tested, organizationId, model, question, wall);
          }
        },
      );

      // Before the time limit of the test, so that a counterexample is shown also if its reduction takes long.
      await fc.assert(property, { numRuns: modelRuns, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true });
    });
  });
}

async function play(tested: Store, organizationId: string, model: MemoryModel, unit: Unit): Promise<void> {
  const before = model.copy();
  const running = tested.transact(organizationId, async (work) => {
    if (unit.announces) await work.expect?.({ writes: unit.steps.flatMap(writeOf), ids: everyOtherId(model) });
    for (const step of unit.steps) {
      if (step.kind === 'erase') await erase(work, model, step);
      else if (isReplacement(step)) await replaceEmbedder(work, model, step);
      else await take(work, model, step);
    }
    expect(await work.storedBytes()).toBe(model.activeBytes);
    if (unit.fails) throw new Error('on purpose');
  });
  if (!unit.fails) return running;
  await expect(running).rejects.toThrow('on purpose');
  model.become(before);
}

type Work = Parameters<Parameters<Store['transact']>[1]>[0];

async function take(work: Work, model: MemoryModel, step: Exclude<Step, Erase | Replacement>): Promise<void> {
  if (step.kind === 'insert') return insert(work, model, step);
  const target = [...model.stored.values()][step.nth % Math.max(1, model.stored.size)];
  if (!target) return;
  if (step.kind === 'embed') {
    await model.storePending(work, target, step.vectors);
    return;
  }
  const isDeleted = target.memory.deletedAt !== undefined;
  if (isDeleted !== ['restore', 'replace', 'purge'].includes(step.kind)) return;
  const at = await work.tick();
  if (step.kind === 'purge') {
    await work.purge(target.memory.id, at);
    expect(await work.findById(target.memory.id)).toBeUndefined();
    model.purge(target.memory.id, at);
    return;
  }
  const memory = { ...target.memory, updatedAt: at, ...changeOf(step, at) } as Memory;
  removeUndefined(memory);
  const content = step.kind === 'content' || step.kind === 'replace' ? step : undefined;
  const embedding = content?.vectors;
  const { fingerprint } = model;
  const other = content?.isPending ? model.pendingOf(reversed(content.vectors)) : undefined;
  const updating = work.update(memory, embedding && indexedBy(memory, embedding, fingerprint, other));
  if (step.kind !== 'delete' && model.clashes(memory)) {
    await expect(updating).rejects.toThrow(DuplicateMemoryError);
    return;
  }
  await updating;
  model.put({ ...target, memory, ...(embedding && { embedding, fingerprint, other }) });
}

const OPTIONAL = ['subjectKey', 'expiresAt', 'distinct', 'deletedAt'] as const;

function removeUndefined(memory: Memory): void {
  for (const field of OPTIONAL) if (memory[field] === undefined) delete memory[field];
}

type Replacement = Extract<Step, { kind: 'pend' | 'switch' | 'clean' }>;

function isReplacement(step: Step): step is Replacement {
  return step.kind === 'pend' || step.kind === 'switch' || step.kind === 'clean';
}

/** Begins or cancels a re-embedding, ends it where it is nearly complete, or deletes some former vectors. */
async function replaceEmbedder(work: Work, model: MemoryModel, { kind, vectors: vector }: Replacement): Promise<void> {
  if (kind === 'pend') return model.pend(work);
  if (kind === 'clean') return model.deleteFormer(work, 2);
  const { unembedded } = model;
  if (unembedded.length <= 3) for (const target of unembedded) await model.storePending(work, target, vector);
  await model.switchEmbedder(work);
}

function reversed(vector: Float32Array): Float32Array {
  return vector.toReversed();
}

function changeOf(
  step: Exclude<Step, { kind: 'insert' | 'embed' | 'purge' | 'erase' } | Replacement>,
  at: number,
): Partial<Memory> {
  if (step.kind === 'content') return { content: step.contents };
  if (step.kind === 'delete') return { deletedAt: at };
  if (step.kind === 'restore') return { deletedAt: undefined } as Partial<Memory>;
  if (step.kind === 'replace') return { deletedAt: undefined, content: step.contents } as Partial<Memory>;
  const { metadata, subjectKeys: subjectKey, expiries: expiresAt, distinct } = step;
  return { metadata, subjectKey, expiresAt, distinct } as Partial<Memory>;
}

/** Removes the memories of a subject, then the versions of other memories about it. */
async function erase(work: Work, model: MemoryModel, { subject }: Erase): Promise<void> {
  for (const { memory } of [...model.stored.values()]) {
    if (memory.subjectKey !== subject) continue;
    if (memory.deletedAt === undefined) {
      const deletedAt = await work.tick();
      const deleted = { ...memory, updatedAt: deletedAt, deletedAt };
      await work.update(deleted);
      model.put({ ...model.stored.get(memory.id)!, memory: deleted });
    }
    const at = await work.tick();
    await work.purge(memory.id, at);
    model.purge(memory.id, at);
  }
  const removed = await work.erasures.removeVersions({ subjectKey: subject }, 1_000);
  expect(removed).toHaveLength(model.removeVersions(subject));
}

type Erase = Extract<Step, { kind: 'erase' }>;
type Insert = Extract<Step, { kind: 'insert' }>;

function givenBy({
  contents: content,
  metadata,
  subjectKeys: subjectKey,
  keyed,
  expiries: expiresAt,
  distinct,
  ageUs,
}: Insert): Given {
  return {
    ageUs,
    content,
    metadata,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(distinct && { distinct }),
    ...(subjectKey !== undefined && { subjectKey }),
    ...(keyed % 3 === 0 && { externalKey: `key-${keyed % 4}` }),
  };
}

function everyOtherId(model: MemoryModel): string[] {
  return ['unknown', ...model.stored.keys()].filter((_, n) => n % 2 === 0);
}

function writeOf(step: Step): ExpectedWrite[] {
  if (step.kind !== 'insert') return [];
  const chunk = chunkIdentity(step.metadata);
  return [{ ...givenBy(step), chunk, ...indexedBy({ content: step.contents }), scope: NO_SCOPE }];
}

/** Expects that a unit finds what its write looks up, announced or not, whatever it wrote before. */
async function expectFound(work: Work, model: MemoryModel, step: Insert): Promise<void> {
  const { metadata = {}, externalKey, ...given } = givenBy(step);
  const place = placeOf({ ...given, metadata });
  const content = step.contents;
  const { contentHash, wordsHash } = indexedBy({ content });
  const equal = model.active.find((memory) => !memory.distinct && memory.content === content && isAt(memory, place));
  expect(await work.findActiveByContent(place, contentHash)).toEqual(equal);
  const alike = await work.findActiveByWords(place, wordsHash, 1_000);
  expect(alike.map(({ id }) => id)).toEqual(model.sameWords(place, wordsHash));
  if (externalKey === undefined) return;
  expect(await work.findByExternalKey(externalKey, NO_SCOPE)).toEqual(model.keyed(externalKey));
}

async function insert(work: Work, model: MemoryModel, step: Insert): Promise<void> {
  await expectFound(work, model, step);
  const given = givenBy(step);
  const fingerprint = step.isForeign ? 'foreign|x|8' : model.fingerprint;
  const other = step.isPending ? model.pendingOf(reversed(step.vectors)) : undefined;
  const inserting = insertInto(work, { ...given, embedding: step.vectors, fingerprint, pending: other });
  if (model.clashes({ id: '', metadata: {}, ...given } as Memory)) {
    await expect(inserting).rejects.toThrow(DuplicateMemoryError);
    return;
  }
  model.put({ memory: await inserting, embedding: step.vectors, fingerprint, other });
}

async function compare(
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
    const bounds = [{}, { since: at }, { after: { at, id: somewhere?.id ?? '' } }];
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
  const query = { filter, includeDeleted, facets: ['kind', '$where'], valuesPerFacet: 100 };
  const sorted = ({ facets, ...rest }: Awaited<ReturnType<Store['memories']['stats']>>) => ({
    ...rest,
    facets: query.facets.map((key) => facets[key]?.map((count) => JSON.stringify(count)).sort()),
  });
  expect(sorted(await tested.memories.stats(organizationId, query))).toEqual(sorted(model.stats(query)));
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
  { filter, includeDeleted, vector, limit, minSimilarity, weight, only }: Question,
  now: number,
) {
  const ids = [...model.stored.keys()];
  await expectNearest(tested, organizationId, model, {
    filter,
    includeDeleted,
    vector,
    limit,
    ...(minSimilarity !== undefined && { minSimilarity }),
    ...(weight !== undefined && { recency: { weight, halflifeDays: 0.2, now } }),
    ...(only && { ids: only.flatMap((each) => ids[each % Math.max(1, ids.length)] ?? []) }),
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
