import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { copyFiles } from '../../../testing/embedded/data-folder.js';
import {
  anOrganization,
  change,
  FINGERPRINT,
  NORTH,
  softDelete,
  store as storeAll,
  unitVector,
} from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import type { SqliteStore } from '../sqlite-store.js';
import { openSqliteStore, type SqliteStoreOptions } from '../store.js';
import { INDEX_FOLDER } from './file/index-folder.js';
import { vectorSource } from './vector-source.js';

const EVERYTHING = { vector: NORTH, limit: 500, filter: NO_FILTER, includeDeleted: false };

async function opened(dataDir: string, options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await openSqliteStore({ dataDir, indexFileRows: 1, ...options });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** Returns a vector with many nonzero components, different for each number. */
function spread(n: number): Float32Array {
  return unitVector(Array.from({ length: 8 }, (_, axis) => Math.sin((n + 1) * (axis + 1))));
}

async function fill(store: SqliteStore, organizationId: string, count: number, from = 0): Promise<Memory[]> {
  const given = Array.from({ length: count }, (_, n) => ({
    content: `memory ${from + n}`,
    embedding: spread(from + n),
  }));
  return storeAll(store, organizationId, ...given);
}

async function found(store: SqliteStore, organizationId: string): Promise<string[]> {
  const matches = await store.memories.nearest(organizationId, EVERYTHING);
  return matches.map(({ memory, similarity }) => `${memory.content} ${similarity.toFixed(5)}`);
}

function fileOf(dataDir: string): string {
  const [name] = readdirSync(join(dataDir, 'indexes'));
  return join(dataDir, 'indexes', name!);
}

describe('an index file', () => {
  test('gets purges that happened after it was written, from tombstones', async () => {
    const [dataDir, killed] = [quickFolder(), quickFolder()];
    const first = await opened(dataDir);
    const organizationId = await anOrganization(first);
    const memories = await fill(first, organizationId, 300);
    await first[Symbol.asyncDispose]();
    const second = await opened(dataDir);
    const gone = memories.slice(240, 260);
    for (const memory of gone) await softDelete(second, memory);
    await second.transact(organizationId, async (unit) => {
      for (const { id } of gone) await unit.purge(id, await unit.tick());
    });
    copyFiles(dataDir, killed);

    const third = await opened(killed);
    const query = { ...EVERYTHING, vector: spread(250), limit: 10 };
    const near = await third.memories.nearest(organizationId, query);

    const connection = new Connection(join(killed, 'memory.db'));
    const changes = vectorSource(connection).changes(1, { fingerprint: FINGERPRINT, side: 1 }, false, 0);
    connection.close();

    expect(near).toHaveLength(10);
    expect(near).toEqual(await second.memories.nearest(organizationId, query));
    expect(changes.map(({ change }) => change)).toEqual(gone.map((_, n) => ({ kind: 'leave', seq: 241 + n })));
  });

  test('is written when the store closes, and used by the next start', async () => {
    const dataDir = quickFolder();
    const first = await opened(dataDir);
    const organizationId = await anOrganization(first);
    await fill(first, organizationId, 300);
    const query = { ...EVERYTHING, vector: spread(250) };
    const near = await first.memories.nearest(organizationId, { ...query, limit: 10 });
    await first[Symbol.asyncDispose]();

    // From here on, only the file has different vectors for the memories.
    await exchangeVectors(dataDir);
    const second = await opened(dataDir);
    const matches = await second.memories.nearest(organizationId, { ...query, limit: 10 });

    const nearest = near.map(({ memory }) => memory.content);
    expect(nearest).not.toContain('memory 0');
    expect(matches.map(({ memory }) => memory.content)).not.toContain('memory 0');
    expect(matches).toHaveLength(10);
  });

  test('gets changes that happened after it was written', async () => {
    const dataDir = quickFolder();
    const first = await opened(dataDir);
    const organizationId = await anOrganization(first);
    const memories = await fill(first, organizationId, 30);
    await found(first, organizationId);
    await first[Symbol.asyncDispose]();
    const kept = readFileSync(fileOf(dataDir));

    // Without a search the index is not resident, so these writes leave the file unchanged.
    const second = await opened(dataDir);
    await fill(second, organizationId, 5, 100);
    await softDelete(second, memories[3]!);
    await change(second, memories[4]!, { content: 'changed' }, NORTH);
    await second[Symbol.asyncDispose]();
    const third = await opened(dataDir);

    const after = await found(third, organizationId);

    expect(kept.length).toBeGreaterThan(0);
    expect(after).toHaveLength(34);
    expect(after[0]).toBe('changed 1.00000');
    expect(after.some((each) => each.startsWith('memory 3 '))).toBe(false);
    expect(after.filter((each) => each.startsWith('memory 10')).length).toBe(6);
  });

  test.each([
    ['is missing', (file: string) => rmSync(file)],
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['is cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -40))],
    ['has a bit flipped in its rows', (file: string) => flip(file, -30)],
    ['has a bit flipped in its header', (file: string) => flip(file, 60)],
    ['is something else', (file: string) => writeFileSync(file, 'not an index at all, but long enough for a header')],
    [
      'is a folder',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('that %s is rebuilt', async (_, damage) => {
    const dataDir = quickFolder();
    const first = await opened(dataDir);
    const organizationId = await anOrganization(first);
    await fill(first, organizationId, 30);
    const before = await found(first, organizationId);
    await first[Symbol.asyncDispose]();
    damage(fileOf(dataDir));

    const second = await opened(dataDir);

    expect(await found(second, organizationId)).toEqual(before);
  });

  test('is loaded before the service has started only if no other one is newer', async () => {
    const dataDir = quickFolder();
    const first = await opened(dataDir);
    const organizations = [await anOrganization(first), await anOrganization(first), await anOrganization(first)];
    for (const organizationId of organizations) {
      await fill(first, organizationId, 20);
      await found(first, organizationId);
    }
    await first[Symbol.asyncDispose]();
    utimesSync(join(dataDir, 'indexes', `${organizations[1]}.vectors`), Date.now(), Date.now() / 1_000 + 60);
    const second = await opened(dataDir);
    let tellStarted = () => {};
    const started = new Promise<void>((resolve) => {
      tellStarted = resolve;
    });

    const warming = second.warm(started);
    await vi.waitFor(() => expect(second.indexUse().bytes).toBeGreaterThan(0), { timeout: 10_000 });
    const before = second.indexUse().organizations;
    tellStarted();
    await warming;

    expect(before).toBe(1);
    expect(second.indexUse().organizations).toBe(3);
  });

  test('of another organization is not used', async () => {
    const dataDir = quickFolder();
    const first = await opened(dataDir);
    const [one, other] = [await anOrganization(first), await anOrganization(first)];
    await fill(first, one, 20);
    await fill(first, other, 20, 50);
    const before = await found(first, one);
    await found(first, other);
    await first[Symbol.asyncDispose]();
    const folder = join(dataDir, 'indexes');
    copyFileSync(join(folder, `${other}.vectors`), join(folder, `${one}.vectors`));

    const second = await opened(dataDir);

    expect(await found(second, one)).toEqual(before);
  });

  test('of a later state is not used after the database was restored from a backup', async () => {
    const dataDir = quickFolder();
    const backup = quickFolder();
    const first = await opened(dataDir);
    const organizationId = await anOrganization(first);
    await fill(first, organizationId, 20);
    await found(first, organizationId);
    await first[Symbol.asyncDispose]();
    copyFileSync(join(dataDir, 'memory.db'), join(backup, 'memory.db'));
    const later = await opened(dataDir);
    await found(later, organizationId);
    await fill(later, organizationId, 5, 200);
    await later[Symbol.asyncDispose]();

    copyFileSync(join(backup, 'memory.db'), join(dataDir, 'memory.db'));
    const restored = await opened(dataDir);
    await fill(restored, organizationId, 2, 300);

    const after = await found(restored, organizationId);
    expect(after).toHaveLength(22);
    expect(after.some((each) => each.startsWith('memory 20'))).toBe(false);
  });
});

describe('the budget of the indexes', () => {
  test('evicts the least recently used index, and rebuilds it when needed', async () => {
    const store = await opened(quickFolder(), { indexBytes: 12_000 });
    const organizations = await sixSearched(store);
    const { bytes, organizations: resident } = store.indexUse();

    const first = await found(store, organizations[0]!);

    expect(bytes).toBeLessThanOrEqual(12_000);
    expect(resident).toBeGreaterThan(0);
    expect(resident).toBeLessThan(6);
    expect(first).toHaveLength(30);
  });

  test('saves an evicted index, whose next search reads the file and what changed since', async () => {
    const dataDir = quickFolder();
    const store = await opened(dataDir, { indexBytes: 12_000 });
    const organizations = await sixSearched(store);
    const [first] = organizations as [string];
    const files = () => readdirSync(join(dataDir, INDEX_FOLDER));
    await vi.waitFor(() => expect(files()).toContain(`${first}.vectors`), { timeout: 10_000 });

    await fill(store, first, 2, 1_000);
    const after = await found(store, first);

    expect(after).toHaveLength(32);
  });

  test('keeps the index in use, even if it exceeds the budget', async () => {
    const store = await opened(quickFolder(), { indexBytes: 1 });
    const organizationId = await anOrganization(store);
    await fill(store, organizationId, 30);

    expect(await found(store, organizationId)).toHaveLength(30);
    expect(store.indexUse().organizations).toBe(1);
  });
});

/** Stores and searches 30 memories in each of six organizations. */
async function sixSearched(store: SqliteStore): Promise<string[]> {
  const organizations: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const organizationId = await anOrganization(store);
    organizations.push(organizationId);
    await fill(store, organizationId, 30, n * 100);
    await found(store, organizationId);
  }
  return organizations;
}

/** Gives every memory the same vector, without a change of the index. */
async function exchangeVectors(dataDir: string): Promise<void> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(join(dataDir, 'memory.db'));
  database.prepare('UPDATE vectors SET embedding = ?').run(new Uint8Array(NORTH.buffer));
  database.close();
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  const position = at < 0 ? bytes.length + at : at;
  bytes[position] = bytes[position]! ^ 1;
  writeFileSync(file, bytes);
}
