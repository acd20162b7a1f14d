import type { Memory, Metadata, SubjectKey } from '../../domain/memory/memory.js';
import type { VectorQuery } from '../../ports/memory-reader.js';
import type { EmbeddedBy, UnitOfWork } from '../../ports/unit-of-work.js';
import type { MemoryModel } from '../adapter-suites/model/memory-model.js';
import { indexedBy, insertInto } from '../fixtures/memories.js';
import type { SeededChoices } from '../fixtures/seeded-choices.js';

/** An organization and its expected contents. */
export interface World {
  id: string;
  model: MemoryModel;
}

/** The fingerprint of an embedder that no search uses. */
const FOREIGN = 'foreign|axes|8';
const KINDS = ['a', 'b', 'c'];
const SUBJECTS: readonly (SubjectKey | undefined)[] = [undefined, undefined, 1, '1', 'anna'];
/** Above this number, more memories are deleted than created. */
const MAX_ACTIVE = 40;

export function copyOf({ id, model }: World): World {
  return { id, model: model.copy() };
}

/** Changes a memory or the settings, in a unit and in the model. */
export async function changeSomething(unit: UnitOfWork, { model }: World, choices: SeededChoices): Promise<void> {
  const { active } = model;
  const isFull = active.length > MAX_ACTIVE;
  const kind = choices.weighted({
    insert: isFull ? 20 : 50,
    content: 18,
    fields: 10,
    delete: isFull ? 40 : 12,
    embed: 9,
    restore: 2,
    purge: isFull ? 20 : 6,
    settings: 1,
  });
  if (kind === 'insert') return insert(unit, model, choices);
  if (kind === 'settings') return changeEmbedder(unit, model, choices);
  if (kind === 'restore' || kind === 'purge') return changeDeleted(kind, unit, model, choices);
  const stored = kind === 'embed' ? [...model.stored.values()] : active.map(({ id }) => model.stored.get(id)!);
  if (stored.length === 0) return;
  const target = choices.pick(stored);
  if (kind === 'embed') return model.storePending(unit, target, choices.vector());
  const updatedAt = await unit.tick();
  const memory = { ...target.memory, updatedAt, ...changesOf(kind, updatedAt, choices) };
  if (memory.subjectKey === undefined) delete memory.subjectKey;
  if (kind !== 'content') {
    await unit.update(memory);
    model.put({ ...target, memory });
    return;
  }
  const [embedding, fingerprint, other] = [
    choices.vector(),
    fingerprintFor(model, choices),
    pendingFor(model, choices),
  ];
  await unit.update(memory, indexedBy(memory, embedding, fingerprint, other));
  model.put({ memory, embedding, fingerprint, other });
}

async function insert(unit: UnitOfWork, model: MemoryModel, choices: SeededChoices): Promise<void> {
  const [embedding, fingerprint, subjectKey] = [
    choices.vector(),
    fingerprintFor(model, choices),
    choices.pick(SUBJECTS),
  ];
  const given = { metadata: someMetadata(choices), ...(subjectKey !== undefined && { subjectKey }) };
  const other = pendingFor(model, choices);
  const memory = await insertInto(unit, { ...given, embedding, fingerprint, pending: other });
  model.put({ memory, embedding, fingerprint, other });
}

/** Restores or purges a deleted memory. */
async function changeDeleted(
  kind: 'restore' | 'purge',
  unit: UnitOfWork,
  model: MemoryModel,
  choices: SeededChoices,
): Promise<void> {
  const deleted = [...model.stored.values()].filter(({ memory }) => memory.deletedAt !== undefined);
  if (deleted.length === 0) return;
  const target = choices.pick(deleted);
  const at = await unit.tick();
  if (kind === 'purge') {
    await unit.purge(target.memory.id, at);
    model.purge(target.memory.id, at);
    return;
  }
  const { deletedAt: _, ...memory } = { ...target.memory, updatedAt: at };
  await unit.update(memory);
  model.put({ ...target, memory });
}

/** Begins a re-embedding, cancels it, or completes it. */
async function changeEmbedder(unit: UnitOfWork, model: MemoryModel, choices: SeededChoices): Promise<void> {
  await model.deleteFormer(unit, 1_000);
  if (model.pending === undefined || choices.chance(0.2)) return model.pend(unit);
  for (const target of model.unembedded) await model.storePending(unit, target, choices.vector());
  await model.switchEmbedder(unit);
}

function changesOf(kind: 'content' | 'fields' | 'delete', at: number, choices: SeededChoices): Partial<Memory> {
  if (kind === 'content') return { content: `changed at ${at}` };
  if (kind === 'delete') return { deletedAt: at };
  return { metadata: someMetadata(choices), subjectKey: choices.pick(SUBJECTS) } as Partial<Memory>;
}

function fingerprintFor(model: MemoryModel, choices: SeededChoices): string {
  return choices.chance(0.9) ? model.fingerprint : FOREIGN;
}

function pendingFor(model: MemoryModel, choices: SeededChoices): EmbeddedBy | undefined {
  return choices.chance(0.7) ? model.pendingOf(choices.vector()) : undefined;
}

function someMetadata(choices: SeededChoices): Metadata {
  return { kind: choices.pick(KINDS), rare: choices.below(20) };
}

/** Returns a random combination of everything that a search accepts. */
export function someQuestion({ model }: World, choices: SeededChoices, now: number): VectorQuery {
  const ids = [...model.stored.keys()];
  const filter = choices.pick([
    { metadata: [] },
    { metadata: [{ key: 'kind', anyOf: ['a'] }] },
    { metadata: [{ key: 'rare', anyOf: [choices.below(20), choices.below(20)] }] },
    { metadata: [{ key: 'kind', anyOf: ['a', 'b'] }], subjectKey: choices.pick([1, '1', 'anna']) },
  ]);
  return {
    filter,
    includeDeleted: choices.chance(0.2),
    vector: choices.vector(),
    limit: choices.pick([1, 3, 10, 20, 1_000]),
    exact: choices.chance(0.5),
    ...(choices.chance(0.25) && { minSimilarity: choices.pick([0.1, 0.5]) }),
    ...(choices.chance(0.3) && {
      recency: { weight: choices.pick([0.05, 0.4, 1]), halflifeDays: choices.pick([0.01, 1, 100]), now },
    }),
    ...(ids.length > 0 && choices.chance(0.05) && { ids: [choices.pick(ids), choices.pick(ids)] }),
  };
}
