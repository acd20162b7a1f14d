import fc from 'fast-check';
import { expect } from 'vitest';
import { chunkIdentity, placeOf } from '../../../domain/documents/chunk.js';
import { type Memory, type Metadata, NO_SCOPE, type SubjectKey } from '../../../domain/memory/memory.js';
import type { Store } from '../../../ports/store.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import type { ExpectedWrite } from '../../../ports/unit-of-work.js';
import { type Given, indexedBy, insertInto } from '../../fixtures/memories.js';
import { STEP, STRINGS } from '../search/arbitrary-filters.js';
import { isAt, type MemoryModel, vectors } from './memory-model.js';

export const WORDS = ['amber', 'birch', 'cédar', 'dune'];

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
export const nth = fc.nat(1_000);
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
/** A unit of work: its steps, and whether it fails at its end. */
export const units = fc.record({
  steps: fc.array(steps, { maxLength: 8 }),
  fails: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
  announces: fc.boolean(),
});
export type Unit = typeof units extends fc.Arbitrary<infer T> ? T : never;

/** Applies a step to a store and to the model, which must agree. */
export async function apply(work: Work, model: MemoryModel, step: Step): Promise<void> {
  if (step.kind === 'erase') return erase(work, model, step);
  if (isReplacement(step)) return replaceEmbedder(work, model, step);
  return take(work, model, step);
}

export type Work = Parameters<Parameters<Store['transact']>[1]>[0];

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

/** Returns the reads that an insert may declare. */
export function writeOf(step: Step): ExpectedWrite[] {
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
