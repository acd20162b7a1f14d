import type { Memory, Metadata, SubjectKey } from '../../domain/memory/memory.js';
import type { VectorQuery } from '../../ports/memory-reader.js';
import type { EmbeddedBy, UnitOfWork } from '../../ports/unit-of-work.js';
import type { MemoryModel } from '../adapter-suites/memory-model.js';
import type { Dice } from '../fixtures/dice.js';
import { indexedBy, insertInto } from '../fixtures/memories.js';

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
export async function changeSomething(unit: UnitOfWork, { model }: World, dice: Dice): Promise<void> {
  const { active } = model;
  const isFull = active.length > MAX_ACTIVE;
  const kind = dice.weighted({
    insert: isFull ? 20 : 50,
    content: 18,
    fields: 10,
    delete: isFull ? 40 : 12,
    embed: 9,
    restore: 2,
    purge: isFull ? 20 : 6,
    settings: 1,
  });
  if (kind === 'insert') return insert(unit, model, dice);
  if (kind === 'settings') return changeEmbedder(unit, model, dice);
  if (kind === 'restore' || kind === 'purge') return changeDeleted(kind, unit, model, dice);
  const stored = kind === 'embed' ? [...model.stored.values()] : active.map(({ id }) => model.stored.get(id)!);
  if (stored.length === 0) return;
  const target = dice.pick(stored);
  if (kind === 'embed') return model.storePending(unit, target, dice.vector());
  const updatedAt = await unit.tick();
  const memory = { ...target.memory, updatedAt, ...changesOf(kind, updatedAt, dice) };
  if (memory.subjectKey === undefined) delete memory.subjectKey;
  if (kind !== 'content') {
    await unit.update(memory);
    model.put({ ...target, memory });
    return;
  }
  const [embedding, fingerprint, other] = [dice.vector(), fingerprintFor(model, dice), pendingFor(model, dice)];
  await unit.update(memory, indexedBy(memory, embedding, fingerprint, other));
  model.put({ memory, embedding, fingerprint, other });
}

async function insert(unit: UnitOfWork, model: MemoryModel, dice: Dice): Promise<void> {
  const [embedding, fingerprint, subjectKey] = [dice.vector(), fingerprintFor(model, dice), dice.pick(SUBJECTS)];
  const given = { metadata: someMetadata(dice), ...(subjectKey !== undefined && { subjectKey }) };
  const other = pendingFor(model, dice);
  const memory = await insertInto(unit, { ...given, embedding, fingerprint, pending: other });
  model.put({ memory, embedding, fingerprint, other });
}

/** Restores or purges a deleted memory. */
async function changeDeleted(
  kind: 'restore' | 'purge',
  unit: UnitOfWork,
  model: MemoryModel,
  dice: Dice,
): Promise<void> {
  const deleted = [...model.stored.values()].filter(({ memory }) => memory.deletedAt !== undefined);
  if (deleted.length === 0) return;
  const target = dice.pick(deleted);
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
async function changeEmbedder(unit: UnitOfWork, model: MemoryModel, dice: Dice): Promise<void> {
  await model.deleteFormer(unit, 1_000);
  if (model.pending === undefined || dice.chance(0.2)) return model.pend(unit);
  for (const target of model.unembedded) await model.storePending(unit, target, dice.vector());
  await model.switchEmbedder(unit);
}

function changesOf(kind: 'content' | 'fields' | 'delete', at: number, dice: Dice): Partial<Memory> {
  if (kind === 'content') return { content: `changed at ${at}` };
  if (kind === 'delete') return { deletedAt: at };
  return { metadata: someMetadata(dice), subjectKey: dice.pick(SUBJECTS) } as Partial<Memory>;
}

function fingerprintFor(model: MemoryModel, dice: Dice): string {
  return dice.chance(0.9) ? model.fingerprint : FOREIGN;
}

function pendingFor(model: MemoryModel, dice: Dice): EmbeddedBy | undefined {
  return dice.chance(0.7) ? model.pendingOf(dice.vector()) : undefined;
}

function someMetadata(dice: Dice): Metadata {
  return { kind: dice.pick(KINDS), rare: dice.below(20) };
}

/** Returns a random combination of everything that a search accepts. */
export function someQuestion({ model }: World, dice: Dice, now: number): VectorQuery {
  const ids = [...model.stored.keys()];
  const filter = dice.pick([
    { metadata: [] },
    { metadata: [{ key: 'kind', anyOf: ['a'] }] },
    { metadata: [{ key: 'rare', anyOf: [dice.below(20), dice.below(20)] }] },
    { metadata: [{ key: 'kind', anyOf: ['a', 'b'] }], subjectKey: dice.pick([1, '1', 'anna']) },
  ]);
  return {
    filter,
    includeDeleted: dice.chance(0.2),
    vector: dice.vector(),
    limit: dice.pick([1, 3, 10, 20, 1_000]),
    exact: dice.chance(0.5),
    ...(dice.chance(0.25) && { minSimilarity: dice.pick([0.1, 0.5]) }),
    ...(dice.chance(0.3) && {
      recency: { weight: dice.pick([0.05, 0.4, 1]), halflifeDays: dice.pick([0.01, 1, 100]), now },
    }),
    ...(ids.length > 0 && dice.chance(0.05) && { ids: [dice.pick(ids), dice.pick(ids)] }),
  };
}
