import { expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/memory/filter.js';
import type { Memory } from '../../domain/memory/memory.js';
import type { Position } from '../../domain/page.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { NotFoundError, ServiceError } from '../../errors.js';
import { deleteMemory } from '../../services/memories/delete.js';
import { deleteMany } from '../../services/memories/delete-many.js';
import { ingest } from '../../services/memories/ingest.js';
import { purgeMemory } from '../../services/memories/purge.js';
import { countMemories, exportPage, listChanges } from '../../services/memories/reads.js';
import { restoreMemory } from '../../services/memories/restore.js';
import { updateMemory } from '../../services/memories/update.js';
import { upsert } from '../../services/memories/upsert.js';
import { updateSettings } from '../../services/organization/settings.js';
import { tendAll } from '../../services/upkeep/tend.js';
import { type TestWorld, testWorld } from '../../testing/app/test-deps.js';
import { pick, seededRandom } from '../../testing/fixtures/random-text.js';

const STEPS = 1_000;
const COMPARED_EVERY = 50;
const HOUR = 3_600_000_000;
const RETENTION_DAYS = 5;
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

/** What a plain model keeps of a memory. */
interface Modelled {
  id: string;
  content: string;
  kind: string;
  externalKey?: string;
  expiresAt?: number;
  deletedAt?: number;
}

/** A service on a clock of the test, and what it must hold. */
interface World extends TestWorld {
  clock: { now: number };
  random: () => number;
  model: Map<string, Modelled>;
  purged: Set<string>;
}

type Step = (world: World) => Promise<void>;

const STEPS_BY_WEIGHT: readonly (readonly [number, Step])[] = [
  [6, ingestOne],
  [4, upsertOne],
  [3, updateOne],
  [4, deleteOne],
  [4, restoreOne],
  [3, purgeOne],
  [1, deleteSome],
  [3, letTimePass],
];

test('random writes, restores, purges and expiries leave what a plain model holds, and a follower learns all of it', {
  timeout: 240_000,
}, async () => {
  const clock = { now: 1_772_442_000_000_000 };
  const world: World = {
    ...(await testWorld({ now: () => clock.now })),
    clock,
    random: seededRandom(20_261_123),
    model: new Map(),
    purged: new Set(),
  };
  await updateSettings(world.deps, world.caller, { deletedRetentionDays: RETENTION_DAYS });
  const steps = STEPS_BY_WEIGHT.flatMap(([weight, step]) => Array<Step>(weight).fill(step));
  const follower = new Follower(world);

  for (let n = 1; n <= STEPS; n++) {
    clock.now += 1_000;
    expire(world);
    await pick(steps, world.random)(world);
    if (n % COMPARED_EVERY > 0) continue;
    await compare(world);
    await follower.poll();
    follower.compare();
  }
  expect(world.purged.size).toBeGreaterThan(50);
  expect(active(world).length).toBeGreaterThan(5);
});

async function ingestOne(world: World): Promise<void> {
  const { deps, caller, model } = world;
  const [content, kind, hours] = [someContent(world), someKind(world), someHours(world)];
  const same = active(world).find((each) => each.content === content);
  const given = { ...(hours !== undefined && { expiresAt: at(world, hours) }) };

  const { memory, outcome } = await ingest(deps, caller, { content, metadata: { kind }, ...written(given) });

  expect(outcome).toBe(same ? 'deduplicated' : 'created');
  if (!same) {
    model.set(memory.id, { id: memory.id, content, kind, ...given });
    return;
  }
  expect(memory.id).toBe(same.id);
  const later = given.expiresAt === undefined ? undefined : Math.max(given.expiresAt, same.expiresAt ?? Infinity);
  model.set(same.id, { ...withTime(same, later === Infinity ? undefined : later), kind });
}

async function upsertOne(world: World): Promise<void> {
  const { deps, caller, model } = world;
  const [externalKey, content, hours] = [`key-${someOf(world, 4)}`, someContent(world), someHours(world)];
  const keyed = [...model.values()].filter((each) => each.externalKey === externalKey);
  const current = keyed.find(({ deletedAt }) => deletedAt === undefined);
  const gone = keyed.sort((a, b) => b.deletedAt! - a.deletedAt!)[0];
  const other = active(world).find((each) => each.content === content && each.id !== current?.id);
  const given = { ...(hours !== undefined && { expiresAt: at(world, hours) }) };

  const writing = upsert(deps, caller, { externalKey, content, ...written(given) });

  if (!current && gone) {
    const refused = await writing.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotFoundError);
    expect(refused).toMatchObject({ deletedMemoryId: gone.id });
    return;
  }
  if (other) return expectRefused(writing, 409, other.id);
  const { memory } = await writing;
  if (current) model.set(current.id, { ...current, content, ...given });
  else model.set(memory.id, { id: memory.id, content, kind: '', externalKey, ...given });
}

async function updateOne(world: World): Promise<void> {
  const target = someActive(world);
  if (!target) return;
  const [kind, hours] = [someKind(world), someHours(world)];
  const expiresAt = hours === undefined ? null : formatTimestamp(at(world, hours));

  await updateMemory(world.deps, world.caller, target.id, { metadata: { kind }, expiresAt });

  world.model.set(target.id, { ...withTime(target, hours === undefined ? undefined : at(world, hours)), kind });
}

async function deleteOne(world: World): Promise<void> {
  const target = someActive(world);
  if (!target) return;
  await deleteMemory(world.deps, world.caller, target.id);
  world.model.set(target.id, { ...target, deletedAt: world.clock.now });
}

async function deleteSome(world: World): Promise<void> {
  const { deps, caller, model, clock } = world;
  const kind = someKind(world);
  const matching = active(world).filter((each) => each.kind === kind);
  if (matching.length > 10) return;
  const filter = { kind };
  await expectRefused(deleteMany(deps, caller, { filter, expectedCount: matching.length + 1 }), 409);

  const answer = await deleteMany(deps, caller, { filter, expectedCount: matching.length });

  expect(answer).toEqual({ deleted: matching.length, missing: [], remaining: 0 });
  for (const each of matching) model.set(each.id, { ...each, deletedAt: clock.now });
}

async function restoreOne(world: World): Promise<void> {
  const { deps, caller, model, clock } = world;
  const target = some(world, [...model.values()]);
  if (!target) return;
  const others = active(world).filter(({ id }) => id !== target.id);
  const inTheWay =
    others.find(({ externalKey }) => externalKey !== undefined && externalKey === target.externalKey) ??
    others.find(({ content }) => content === target.content);

  const restoring = restoreMemory(deps, caller, target.id);

  if (target.deletedAt !== undefined && inTheWay) return expectRefused(restoring, 409, inTheWay.id);
  expect(await restoring).toMatchObject({ id: target.id, content: target.content });
  const isOver = target.expiresAt !== undefined && target.expiresAt <= clock.now;
  const { deletedAt: _, ...restored } = isOver ? withTime(target, undefined) : target;
  model.set(target.id, restored);
}

async function purgeOne(world: World): Promise<void> {
  const { deps, caller, model, purged } = world;
  const target = some(world, [...model.values()]);
  if (!target) return;
  const purging = purgeMemory(deps, caller, target.id);
  if (target.deletedAt === undefined) return expectRefused(purging, 409);
  await purging;
  model.delete(target.id);
  purged.add(target.id);
}

/** Some hours, in which memories expire; now and then upkeep purges what was deleted long before. */
async function letTimePass(world: World): Promise<void> {
  const { clock, deps, model, purged } = world;
  clock.now += someOf(world, 8) * HOUR;
  expire(world);
  if (world.random() < 0.7) return;
  await tendAll(deps);
  const before = clock.now - RETENTION_DAYS * 24 * HOUR;
  for (const { id, deletedAt = Infinity } of [...model.values()]) {
    if (deletedAt >= before) continue;
    model.delete(id);
    purged.add(id);
  }
}

/** Deletes from the model what is due. The service does so when it is asked next, which is at this moment. */
function expire({ model, clock }: World): void {
  for (const each of [...model.values()]) {
    const isDue = each.deletedAt === undefined && (each.expiresAt ?? Infinity) <= clock.now;
    if (isDue) model.set(each.id, { ...each, deletedAt: clock.now });
  }
}

async function compare({ deps, caller, model }: World): Promise<void> {
  const held = [...model.values()];
  const { items } = await exportPage(deps, caller, EVERYTHING, { limit: 10_000 });
  expect(items.map(outlineOf).sort(byId)).toEqual(held.map(outlineOf).sort(byId));
  const counts = await countMemories(deps, caller, NO_FILTER, false);
  expect(counts.total).toBe(held.filter(({ deletedAt }) => deletedAt === undefined).length);
}

/** Keeps its own copy by the change feed alone. */
class Follower {
  readonly #world: World;
  readonly #copy = new Map<string, Memory>();
  readonly #purged = new Set<string>();
  #after: Position | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  async poll(): Promise<void> {
    const { deps, caller } = this.#world;
    for (;;) {
      const query = { since: 0, limit: 20, ...(this.#after && { after: this.#after }) };
      const page = await listChanges(deps, caller, EVERYTHING, query);
      for (const memory of page.items) {
        if (memory.deletedAt === undefined) this.#copy.set(memory.id, memory);
        else this.#copy.delete(memory.id);
        if (memory.purgedAt !== undefined) this.#purged.add(memory.id);
      }
      this.#after = page.last ?? this.#after;
      if (!page.hasMore) return;
    }
  }

  compare(): void {
    const copied = [...this.#copy.values()].map(outlineOf).sort(byId);
    expect(copied).toEqual(active(this.#world).map(outlineOf).sort(byId));
    expect(this.#purged).toEqual(this.#world.purged);
  }
}

/** What the model and the service have in common of a memory; when it was deleted, the service says by its own clock. */
function outlineOf(memory: Modelled | Memory) {
  const { id, content, externalKey, expiresAt, deletedAt } = memory;
  const kind = 'kind' in memory ? memory.kind : String(memory.metadata.kind ?? '');
  return { id, content, kind, externalKey, expiresAt, isDeleted: deletedAt !== undefined };
}

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}

function active({ model }: World): Modelled[] {
  return [...model.values()].filter(({ deletedAt }) => deletedAt === undefined);
}

function someActive(world: World): Modelled | undefined {
  return some(world, active(world));
}

function some<T>({ random }: World, from: readonly T[]): T | undefined {
  return from.length === 0 ? undefined : pick(from, random);
}

function someOf({ random }: World, count: number): number {
  return Math.floor(random() * count);
}

function someContent(world: World): string {
  return `fact number ${someOf(world, 40)}`;
}

function someKind(world: World): string {
  return `kind-${someOf(world, 5)}`;
}

/** Until a memory expires; mostly none. */
function someHours(world: World): number | undefined {
  return world.random() < 0.6 ? undefined : 1 + someOf(world, 30);
}

function at({ clock }: World, hours: number): number {
  return clock.now + hours * HOUR;
}

function written({ expiresAt }: { expiresAt?: number }): { expiresAt?: string } {
  return expiresAt === undefined ? {} : { expiresAt: formatTimestamp(expiresAt) };
}

function withTime({ expiresAt: _, ...rest }: Modelled, expiresAt: number | undefined): Modelled {
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) };
}

async function expectRefused(doing: Promise<unknown>, status: number, id?: string): Promise<void> {
  const refused = await doing.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({ status, ...(id !== undefined && { extra: { id } }) });
}
