import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { type Memory, NO_SCOPE } from '../domain/memory.js';
import type { OrganizationSettings } from '../domain/organization.js';
import type { Founding } from '../ports/account-store.js';
import type { Indexed, Store, UnitOfWork } from '../ports/store.js';

export const FINGERPRINT = 'test|axes|8';
export const DIMENSIONS = 8;

export function aMemory(overrides: Partial<Memory> = {}): Memory {
  const createdAt = overrides.createdAt ?? 1_700_000_000_000_000;
  return {
    id: v7(),
    organizationId: 'none',
    content: `memory ${v7()}`,
    metadata: {},
    scope: NO_SCOPE,
    createdAt,
    updatedAt: createdAt,
    ...overrides,
  };
}

/** A vector of length 1 in the direction of the given components; missing ones are 0. */
export function unitVector(components: readonly number[], dimensions = DIMENSIONS): Float32Array {
  const length = Math.hypot(...components) || 1;
  return Float32Array.from({ length: dimensions }, (_, index) => (components[index] ?? 0) / length);
}

/** A vector whose cosine with the first axis is as given. */
export function atCosine(cosine: number, axis = 1): Float32Array {
  const components = new Array<number>(DIMENSIONS).fill(0);
  components[0] = cosine;
  components[axis] = Math.sqrt(Math.max(0, 1 - cosine ** 2));
  return unitVector(components);
}

/** The direction that `atCosine` is measured from. */
export const NORTH = unitVector([1]);

/** Hashes made in the simplest way; only their equality matters to a store. */
export function indexedBy(
  { content }: Pick<Memory, 'content'>,
  embedding: Float32Array = NORTH,
  fingerprint = FINGERPRINT,
): Indexed {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  return { contentHash: digest(content), wordsHash: digest(content.toLowerCase()), embedding, fingerprint };
}

export function aFounding(id: string): Founding {
  const owner = { id: v7(), email: `${id}@example.test` };
  const token = {
    id: v7(),
    organizationId: id,
    userId: owner.id,
    name: 'first',
    digest: createHash('sha256').update(id).digest('hex'),
    prefix: 'msk_abcd',
    lastFour: 'wxyz',
    abilities: ['*'],
    createdAt: 1_700_000_000_000_000,
  };
  return { organization: { id, name: 'An organization', createdAt: 1_700_000_000_000_000 }, owner, token };
}

/** An organization whose vectors are of `FINGERPRINT`. */
export async function anOrganization(store: Store, settings: Partial<OrganizationSettings> = {}): Promise<string> {
  const id = v7();
  await store.accounts.createOrganization(aFounding(id));
  await store.transact(id, async (unit) => {
    await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: FINGERPRINT, ...settings });
  });
  return id;
}

/** What a stored memory is made from; times and ids come by themselves. */
export interface Given extends Partial<Omit<Memory, 'organizationId' | 'createdAt' | 'updatedAt'>> {
  embedding?: Float32Array;
  fingerprint?: string;
}

export async function insertInto(unit: UnitOfWork, { embedding, fingerprint, ...given }: Given = {}): Promise<Memory> {
  const createdAt = await unit.tick();
  const memory = aMemory({ ...given, organizationId: unit.organizationId, createdAt });
  await unit.insert(memory, indexedBy(memory, embedding, fingerprint));
  return memory;
}

/** Stores memories in one unit of work, in this order. */
export function store(into: Store, organizationId: string, ...given: readonly Given[]): Promise<Memory[]> {
  return into.transact(organizationId, async (unit) => {
    const memories: Memory[] = [];
    for (const each of given) memories.push(await insertInto(unit, each));
    return memories;
  });
}

/** Changes a stored memory; new content needs an embedding. */
export async function change(
  into: Store,
  memory: Memory,
  changes: Partial<Memory>,
  embedding?: Float32Array,
): Promise<Memory> {
  return into.transact(memory.organizationId, async (unit) => {
    const current = await unit.findById(memory.id);
    if (!current) throw new Error('the memory is not stored');
    const changed = { ...current, ...changes, updatedAt: await unit.tick() };
    await unit.update(changed, embedding && indexedBy(changed, embedding));
    return changed;
  });
}

export async function softDelete(into: Store, memory: Memory): Promise<Memory> {
  return into.transact(memory.organizationId, async (unit) => {
    const current = await unit.findById(memory.id);
    if (!current) throw new Error('the memory is not stored');
    const deletedAt = await unit.tick();
    const deleted = { ...current, updatedAt: deletedAt, deletedAt };
    await unit.update(deleted);
    return deleted;
  });
}
