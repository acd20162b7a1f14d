import { expect } from 'vitest';
import { chunkIdentity } from '../../domain/documents/chunk.js';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { GivenDedupe } from '../../domain/memory/distinct.js';
import type { Memory, Metadata } from '../../domain/memory/memory.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { ServiceError } from '../../errors.js';
import { countMemories } from '../../services/reading/reads.js';
import type { TestWorld } from '../app/test-deps.js';
import { pick } from '../fixtures/random-text.js';

export const HOUR_US = 3_600_000_000;
const SUBJECTS = ['ana', 'ben', 'carl'];
const DOCUMENTS = ['d', 'e'];

/** The state of a memory that a version contains. */
export interface State {
  content: string;
  metadata: Metadata;
  subjectKey?: string;
}

/** A memory in the plain model. */
export interface Modelled extends State {
  id: string;
  externalKey?: string;
  distinct?: true;
  expiresAt?: number;
  deletedAt?: number;
  importedAt?: number;
  versions: readonly (State & { number: number })[];
  /** The highest version number so far. */
  counted: number;
}

/** A service on the test's clock, and its expected contents. */
export interface World extends TestWorld {
  clock: { now: number };
  random: () => number;
  model: Map<string, Modelled>;
  purged: Set<string>;
  keptVersions: number;
}

export type Step = (world: World) => Promise<void>;

/** Changes a memory of the model, which keeps the replaced state as a version. */
export function put({ model, keptVersions }: World, before: Modelled, after: Modelled): void {
  model.set(after.id, isSameState(before, after) ? after : withVersion(before, after, keptVersions));
}

function withVersion(before: Modelled, after: Modelled, kept: number): Modelled {
  if (kept === 0) return { ...after, versions: [] };
  const counted = before.counted + 1;
  const versions = [...before.versions, { number: counted, ...stateOf(before) }];
  return { ...after, counted, versions: versions.filter(({ number }) => number > counted - kept) };
}

export function stateOf({ content, metadata, subjectKey }: State): State {
  return { content, metadata, ...(subjectKey !== undefined && { subjectKey }) };
}

export function isSameState(one: State, other: State): boolean {
  const text = ({ content, metadata, subjectKey }: State) =>
    JSON.stringify([content, subjectKey, Object.entries(metadata).sort()]);
  return text(one) === text(other);
}

/** Returns the active memory, other than `own`, with the same content and place, unless one of the two is distinct. */
export function holderOf(world: World, state: State & Pick<Modelled, 'distinct'>, own?: string): Modelled | undefined {
  if (state.distinct) return undefined;
  return active(world).find(({ id, distinct, ...other }) => id !== own && !distinct && isSamePlace(other, state));
}

/** Returns a `dedupe`, mostly none. */
export function someDedupe({ random }: World): GivenDedupe {
  const given = pick(['', '', '', 'off', 'on'] as const, random);
  return given === '' ? undefined : given;
}

/** Returns a memory after a write with a `dedupe`. */
export function withDedupe<Each extends object>(
  memory: Each & Pick<Modelled, 'distinct'>,
  dedupe: GivenDedupe,
): Omit<Each, 'distinct'> & Pick<Modelled, 'distinct'> {
  const { distinct, ...rest } = memory;
  const isDistinct = dedupe === undefined ? distinct : dedupe === 'off';
  return { ...rest, ...(isDistinct && { distinct: true }) };
}

/** Returns a deleted memory as it is once restored. */
export function restored({ clock }: World, target: Modelled): Modelled {
  const isOver = target.expiresAt !== undefined && target.expiresAt <= clock.now;
  const { deletedAt: _, ...kept } = isOver ? withTime(target, undefined) : target;
  return kept;
}

function isSamePlace(one: State, other: State): boolean {
  return (
    one.content === other.content &&
    one.subjectKey === other.subjectKey &&
    chunkIdentity(one.metadata) === chunkIdentity(other.metadata)
  );
}

/** Deletes expired memories from the model, then calls the service, which deletes them at the same time. */
export async function expire({ deps, caller, model, clock }: World): Promise<void> {
  const due = [...model.values()].filter(
    ({ deletedAt, expiresAt = Infinity }) => deletedAt === undefined && expiresAt <= clock.now,
  );
  for (const each of due) model.set(each.id, { ...each, deletedAt: clock.now });
  if (due.length > 0) await countMemories(deps, caller, NO_FILTER, false);
}

/** Returns the fields that model and service share. The service sets the deletion time by its own clock. */
export function outlineOf(memory: Modelled | Memory) {
  const { id, content, metadata, subjectKey, externalKey, distinct, expiresAt, deletedAt } = memory;
  return { id, content, metadata, subjectKey, externalKey, distinct, expiresAt, isDeleted: deletedAt !== undefined };
}

export function outlineOfVersion({ number, ...state }: Pick<MemoryVersion, 'number'> & Pick<Memory, 'content'>) {
  return { number, ...stateOf(state as State) };
}

export function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}

export function active({ model }: World): Modelled[] {
  return [...model.values()].filter(({ deletedAt }) => deletedAt === undefined);
}

export function someActive(world: World): Modelled | undefined {
  return some(world, active(world));
}

export function some<T>({ random }: World, from: readonly T[]): T | undefined {
  return from.length === 0 ? undefined : pick(from, random);
}

export function someOf({ random }: World, count: number): number {
  return Math.floor(random() * count);
}

export function someContent(world: World): string {
  return `fact number ${someOf(world, 40)}`;
}

export function someKind(world: World): string {
  return `kind-${someOf(world, 5)}`;
}

/** Returns a subject key, mostly none. */
export function someSubject(world: World): { subjectKey?: string } {
  return world.random() < 0.6 ? {} : { subjectKey: pick(SUBJECTS, world.random) };
}

export function anySubject({ random }: World): string {
  return pick(SUBJECTS, random);
}

/** Returns a kind, now and then with the keys of a chunk. */
export function someMetadata(world: World): Metadata {
  const kind = someKind(world);
  if (world.random() < 0.8) return { kind };
  return { kind, documentId: pick(DOCUMENTS, world.random), chunkIndex: someOf(world, 3), chunkTotal: 3 };
}

/** Returns the hours until a memory expires; mostly undefined. */
export function someHours(world: World): number | undefined {
  return world.random() < 0.6 ? undefined : 1 + someOf(world, 30);
}

export function at({ clock }: World, hours: number): number {
  return clock.now + hours * HOUR_US;
}

export function written({ expiresAt }: { expiresAt?: number }): { expiresAt?: string } {
  return expiresAt === undefined ? {} : { expiresAt: formatTimestamp(expiresAt) };
}

export function withTime({ expiresAt: _, ...rest }: Modelled, expiresAt: number | undefined): Modelled {
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) };
}

export async function expectRefused(doing: Promise<unknown>, status: number, id?: string): Promise<void> {
  const refused = await doing.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({ status, ...(id !== undefined && { extra: { id } }) });
}
