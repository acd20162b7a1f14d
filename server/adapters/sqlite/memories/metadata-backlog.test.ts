import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseFilter, type WireFilter } from '../../../domain/filter/filter.js';
import { facetsOfMemory, meetsFilter } from '../../../domain/filter/memory-facets.js';
import { valuesOf } from '../../../domain/filter/metadata-values.js';
import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import type { ListQuery, StatsQuery } from '../../../ports/memory-reader.js';
import { anOrganization, change, insertInto, softDelete, store } from '../../../testing/fixtures/memories.js';
import { SeededChoices } from '../../../testing/fixtures/seeded-choices.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { DATABASE_FILE } from '../engine/database.js';
import type { SqliteStore } from '../sqlite-store.js';
import { openSqliteStore } from '../store.js';

/** Memories whose rows are more than the backlog has. */
const MANY = 100;

/** How often the random writes of a test are of each kind. */
const WEIGHTS = { insert: 10, insertElsewhere: 3, change: 4, delete: 2, restore: 2, purge: 1, fail: 1, restart: 1 };

const WIRE_FILTERS: readonly WireFilter[] = [
  { kind: 'a' },
  { project: 'p1', where: { kind: { in: ['a', 'b'] } } },
  { where: { serial: { gte: 40 } } },
  { where: { serial: { lt: 60 }, kind: { ne: 'a' } } },
  { where: { serial: { gte: 20, lt: 90 } }, project: 'p1' },
  { where: { project: { exists: false } } },
  { where: { flag: { exists: true } } },
  { subjectKey: 7 },
];
const FILTERS = WIRE_FILTERS.map((filter) => parseFilter(filter, { subjectKeyType: 'integer' }, 'json'));

describe('the backlog of metadata', () => {
  test.each([1, 2, 3])('changes no filter, count or order, over any writes and restarts (seed %i)', async (seed) => {
    const writes = await RandomWrites.begin(seed);
    for (let step = 0; step < 60; step += 1) {
      await writes[writes.choices.weighted(WEIGHTS)]();
      if (step % 6 === 0) await writes.expectReads();
    }

    await writes.expectReads();
    expectEntries(writes.dataDir, writes.organizationId, writes.memories);
  });

  test('stays short, and what leaves it is in the indexes', async () => {
    const dataDir = quickFolder();
    const opened = await openStore(dataDir);
    const organizationId = await anOrganization(opened);
    const counts: number[] = [];
    const memories: Memory[] = [];
    for (let n = 0; n < MANY; n += 1) {
      const [memory] = await store(opened, organizationId, { metadata: { kind: 'a', project: 'p1', serial: n } });
      if (memory) memories.push(memory);
      counts.push(countRows(dataDir, 'metadata_backlog'));
    }

    expect(Math.max(...counts)).toBeLessThan(256 + 6);
    expect(counts.filter((count, n) => count < (counts[n - 1] ?? 0)).length).toBeGreaterThan(1);
    expectEntries(dataDir, organizationId, memories);
  });

  test('of a deleted organization is removed, and nothing of it comes back', async () => {
    const dataDir = quickFolder();
    const opened = await openStore(dataDir);
    const [gone, others] = [await anOrganization(opened), await anOrganization(opened)];
    await store(opened, gone, ...Array.from({ length: 9 }, () => ({ metadata: { kind: 'a' }, subjectKey: 7 })));
    await opened.transact(gone, (unit) => unit.accounts.deleteOrganization(1));
    while (await opened.deletions.removeSome(gone, 4)) await store(opened, others, { metadata: {} });
    await opened.deletions.end(gone);
    const given = Array.from({ length: MANY }, (_, serial) => ({ metadata: { kind: 'b', serial } }));
    const memories = await store(opened, others, ...given);

    expectEntries(dataDir, others, memories);
    const rows = (table: string) => countRows(dataDir, table);
    expect(rows('facets') + rows('metadata_values') + rows('metadata_backlog')).toBe(4 * MANY);
  });
});

/** Writes to a store at random, and knows what it must have. */
class RandomWrites {
  readonly #known = new Map<string, Memory>();

  private constructor(
    readonly choices: SeededChoices,
    readonly dataDir: string,
    private opened: SqliteStore,
    readonly organizationId: string,
    private readonly others: string,
  ) {}

  static async begin(seed: number): Promise<RandomWrites> {
    const dataDir = quickFolder();
    const opened = await openStore(dataDir);
    const [organizationId, others] = [await anOrganization(opened), await anOrganization(opened)];
    return new RandomWrites(new SeededChoices(seed), dataDir, opened, organizationId, others);
  }

  get memories(): Memory[] {
    return [...this.#known.values()];
  }

  async insert(): Promise<void> {
    const given = Array.from({ length: 1 + this.choices.below(9) }, () => aGiven(this.choices));
    for (const memory of await store(this.opened, this.organizationId, ...given)) this.#keep(memory);
  }

  async insertElsewhere(): Promise<void> {
    await store(this.opened, this.others, aGiven(this.choices));
  }

  async change(): Promise<void> {
    const memory = this.#pick();
    if (memory) this.#keep(await change(this.opened, memory, { metadata: aMetadata(this.choices) }));
  }

  async delete(): Promise<void> {
    const memory = this.#pick(isActive);
    if (memory) this.#keep(await softDelete(this.opened, memory));
  }

  async restore(): Promise<void> {
    const deleted = this.#pick(isDeleted);
    if (!deleted) return;
    const { deletedAt: _, ...active } = deleted;
    await this.opened.transact(this.organizationId, async (unit) => {
      const memory = { ...active, updatedAt: await unit.tick() };
      await unit.update(memory);
      this.#keep(memory);
    });
  }

  async purge(): Promise<void> {
    const memory = this.#pick(isDeleted);
    if (!memory) return;
    await this.opened.transact(this.organizationId, async (unit) => unit.purge(memory.id, await unit.tick()));
    this.#known.delete(memory.id);
  }

  /** Fills the backlog several times in a unit that then fails. */
  async fail(): Promise<void> {
    const failing = this.opened.transact(this.organizationId, async (unit) => {
      for (let n = 0; n < MANY; n += 1) await insertInto(unit, aGiven(this.choices));
      throw new Error('the unit fails');
    });
    await expect(failing).rejects.toThrow('the unit fails');
  }

  async restart(): Promise<void> {
    await this.opened[Symbol.asyncDispose]();
    this.opened = await openStore(this.dataDir);
  }

  async expectReads(): Promise<void> {
    for (const filter of FILTERS) {
      const matching = this.memories
        .filter((memory) => meetsFilter(memory, filter))
        .sort((a, b) => a.createdAt - b.createdAt);
      await this.#expectList({ filter, includeDeleted: false }, matching.filter(isActive));
      await this.#expectList({ filter, includeDeleted: true }, matching);
      await this.#expectList({ filter, includeDeleted: 'only' }, matching.filter(isDeleted));
      await this.#expectCounts({ filter, includeDeleted: false }, matching.filter(isActive));
      await this.#expectCounts({ filter, includeDeleted: true }, matching);
    }
  }

  async #expectList(scope: ListScope, matching: readonly Memory[]): Promise<void> {
    const list = async (order: 'oldest' | 'newest') => {
      const query = { ...scope, order, limit: 10, memoriesOnly: true };
      return (await this.opened.memories.list(this.organizationId, query)).map(({ id }) => id);
    };
    const ids = matching.map(({ id }) => id);
    expect(await list('oldest')).toEqual(ids.slice(0, 10));
    expect(await list('newest')).toEqual(ids.toReversed().slice(0, 10));
  }

  async #expectCounts(scope: CountScope, matching: readonly Memory[]): Promise<void> {
    const query = { ...scope, facets: ['kind'], valuesPerFacet: 9 };
    const { filtered, facets } = await this.opened.memories.stats(this.organizationId, query);
    expect(filtered).toBe(matching.length);
    const counts = (facets.kind ?? []).map(({ value, count }) => [value, count]);
    expect(Object.fromEntries(counts)).toEqual(countKinds(matching));
  }

  #pick(from: (memory: Memory) => boolean = () => true): Memory | undefined {
    const memories = this.memories.filter(from);
    return memories.length > 0 ? this.choices.pick(memories) : undefined;
  }

  #keep(memory: Memory): void {
    this.#known.set(memory.id, memory);
  }
}

type ListScope = Pick<ListQuery, 'filter' | 'includeDeleted'>;
type CountScope = Pick<StatsQuery, 'filter' | 'includeDeleted'>;

function isActive({ deletedAt }: Memory): boolean {
  return deletedAt === undefined;
}

function isDeleted(memory: Memory): boolean {
  return !isActive(memory);
}

async function openStore(dataDir: string): Promise<SqliteStore> {
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

function aMetadata(choices: SeededChoices): Metadata {
  return {
    ...(choices.chance(0.9) && { kind: choices.pick(['a', 'b', 'c']) }),
    ...(choices.chance(0.7) && { project: choices.pick(['p1', 'p2']) }),
    ...(choices.chance(0.8) && { serial: choices.below(100) }),
    ...(choices.chance(0.2) && { flag: null, list: [1] }),
  };
}

function aGiven(choices: SeededChoices) {
  return { metadata: aMetadata(choices), ...(choices.chance(0.3) && { subjectKey: 7 }) };
}

function countKinds(memories: readonly Memory[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { metadata } of memories) {
    if (typeof metadata.kind === 'string') counts[metadata.kind] = (counts[metadata.kind] ?? 0) + 1;
  }
  return counts;
}

/** Requires that the tables have each facet and each value of the memories once, and nothing else of the organization. */
function expectEntries(dataDir: string, organizationId: string, memories: readonly Memory[]): void {
  const connection = new Connection(join(dataDir, DATABASE_FILE), { readOnly: true });
  const all = (sql: string) =>
    connection
      .all<object>(sql, organizationId)
      .map((row) => JSON.stringify(row))
      .sort();
  const ofOrganization = 'JOIN memories m USING (seq) JOIN organizations o ON o.key = e.org WHERE o.id = ?1';
  const facets = all(`SELECT m.id, e.live, e.facet FROM facets e ${ofOrganization}
    UNION ALL SELECT m.id, e.live, e.facet FROM metadata_backlog e ${ofOrganization} AND e.facet <> ''`);
  const values = all(`SELECT m.id, e.live, e.key, e.value FROM metadata_values e ${ofOrganization}
    UNION ALL SELECT m.id, e.live, e.key, e.value FROM metadata_backlog e ${ofOrganization} AND e.key <> ''`);
  connection.close();
  const ofMemory = (memory: Memory, entries: readonly object[]) =>
    entries.map((entry) => JSON.stringify({ id: memory.id, live: Number(isActive(memory)), ...entry }));
  const expectedFacets = (memory: Memory) =>
    ofMemory(
      memory,
      facetsOfMemory(memory).map((facet) => ({ facet })),
    );
  expect(facets).toEqual(memories.flatMap(expectedFacets).sort());
  const expectedValues = (memory: Memory) => ofMemory(memory, valuesOf(memory.metadata));
  expect(values).toEqual(memories.flatMap(expectedValues).sort());
}

function countRows(dataDir: string, table: string): number {
  const connection = new Connection(join(dataDir, DATABASE_FILE), { readOnly: true });
  const row = connection.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
  connection.close();
  return row?.count ?? 0;
}
