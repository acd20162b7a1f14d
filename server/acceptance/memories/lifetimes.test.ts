import { expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { Memory } from '../../domain/memory/memory.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import type { Position } from '../../domain/page.js';
import { updateSettings } from '../../services/organization/settings.js';
import { countMemories, exportPage, listChanges } from '../../services/reading/reads.js';
import { exportVersions } from '../../services/reading/versions.js';
import { importMemories } from '../../services/writing/import.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { pick, seededRandom } from '../../testing/fixtures/random-text.js';
import {
  deleteByIds,
  deleteMatching,
  deleteOne,
  eraseOne,
  letTimePass,
  purgeOne,
  RETENTION_DAYS,
  restoreOne,
} from '../../testing/lifetimes/lifetime-ends.js';
import { importAgain, importOne, itemsOf } from '../../testing/lifetimes/lifetime-imports.js';
import {
  active,
  byId,
  expire,
  outlineOf,
  outlineOfVersion,
  type Step,
  type World,
} from '../../testing/lifetimes/lifetime-world.js';
import {
  ingestOne,
  keepOtherVersions,
  restoreOneVersion,
  updateOne,
  upsertOne,
} from '../../testing/lifetimes/lifetime-writes.js';

/** LIFETIME_STEPS=10000 LIFETIME_SEED=7 runs longer, with other steps. */
const STEPS = Number(process.env.LIFETIME_STEPS ?? 1_000);
const SEED = Number(process.env.LIFETIME_SEED ?? 20_261_123);
const COMPARED_EVERY = 50;
const IMPORTED_TOGETHER = 50;
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

const STEPS_BY_WEIGHT: readonly (readonly [number, Step])[] = [
  [24, ingestOne],
  [16, upsertOne],
  [16, updateOne],
  [8, restoreOneVersion],
  [1, keepOtherVersions],
  [16, deleteOne],
  [4, deleteMatching],
  [4, deleteByIds],
  [16, restoreOne],
  [12, purgeOne],
  [1, eraseOne],
  [10, importOne],
  [3, importAgain],
  [12, letTimePass],
];

test('the service matches a plain model after random writes, restores, imports, purges, erasures and expiries, and a follower sees all changes', {
  timeout: 240_000 + STEPS * 200,
}, async () => {
  const clock = { now: 1_772_442_000_000_000 };
  const world: World = {
    ...(await testWorld({ now: () => clock.now })),
    clock,
    random: seededRandom(SEED),
    model: new Map(),
    purged: new Set(),
    keptVersions: 3,
  };
  const settings = { subjectKeyType: 'string', keptVersions: 3 } as const;
  await updateSettings(world.deps, world.caller, { ...settings, deletedRetentionDays: RETENTION_DAYS });
  const steps = STEPS_BY_WEIGHT.flatMap(([weight, step]) => Array<Step>(weight).fill(step));
  const follower = new Follower(world);
  await ingestOne(world);

  let mostActive = 0;
  for (let n = 1; n <= STEPS; n++) {
    clock.now += 1_000;
    await expire(world);
    await pick(steps, world.random)(world);
    if (n % COMPARED_EVERY > 0) continue;
    await compare(world);
    await follower.poll();
    follower.compare();
    mostActive = Math.max(mostActive, active(world).length);
  }

  await expectSameElsewhere(world);
  expect(world.purged.size).toBeGreaterThan(50);
  expect(mostActive).toBeGreaterThan(5);
});

async function compare(world: World): Promise<void> {
  const { deps, caller, model } = world;
  const held = [...model.values()];
  const { memories, versions } = await everythingOf(world, caller);
  expect(memories.map(outlineOf).sort(byId)).toEqual(held.map(outlineOf).sort(byId));
  for (const { id, versions: kept } of held) {
    expect(versions.filter(({ memoryId }) => memoryId === id).map(outlineOfVersion)).toEqual(
      kept.map(outlineOfVersion),
    );
  }
  expect(versions).toHaveLength(held.reduce((sum, { versions: kept }) => sum + kept.length, 0));
  const counts = await countMemories(deps, caller, NO_FILTER, false);
  expect(counts.total).toBe(active(world).length);
}

async function everythingOf(
  { deps }: World,
  caller: World['caller'],
): Promise<{ memories: Memory[]; versions: MemoryVersion[] }> {
  const { items: memories } = await exportPage(deps, caller, EVERYTHING, { limit: 10_000 });
  const { items: versions } = await exportVersions(deps, caller, { limit: 100_000 });
  return { memories, versions };
}

/** Expects that an import into an empty organization yields the same memories and versions. */
async function expectSameElsewhere(world: World): Promise<void> {
  const { deps, caller } = world;
  const other = await anotherCaller(deps);
  await updateSettings(deps, other, { subjectKeyType: 'string', keptVersions: 100 });
  const { memories, versions } = await everythingOf(world, caller);
  const items = itemsOf(memories, versions);

  for (let from = 0; from < items.length; from += IMPORTED_TOGETHER) {
    const results = await importMemories(deps, other, items.slice(from, from + IMPORTED_TOGETHER));
    expect(results.filter((result) => 'error' in result || result.outcome !== 'created')).toEqual([]);
  }

  const { organizationId } = other;
  const there = await everythingOf(world, other);
  expect(there.memories).toEqual(memories.map((memory) => ({ ...memory, organizationId })));
  expect(there.versions).toEqual(versions);
}

/** Maintains a copy from the change feed alone. */
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
