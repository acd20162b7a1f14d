import { closeSync, cpSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { StoreDamagedError, StoreOpenError, StoreUnavailableError } from '../../ports/store-errors.js';
import { damagePages, PAGE_BYTES } from '../../testing/embedded/page-damage.js';
import { anOrganization, softDelete, store } from '../../testing/fixtures/memories.js';
import { SeededChoices } from '../../testing/fixtures/seeded-choices.js';
import { makeQuickFolder, quickFolder } from '../../testing/processes/quick-folder.js';
import { checkDataFolder } from './check.js';
import { Connection } from './engine/connection.js';
import type { SqliteStore } from './sqlite-store.js';
import { openSqliteStore, type SqliteStoreOptions } from './store.js';

/** Allows for a busy machine, on which a fault is reported late. */
const PATIENT = { timeout: 60_000 };
const SEEDS = Array.from({ length: 16 }, (_, n) => n + 1);
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

/** A data folder with short and long memories, some of them deleted. */
let whole = '';
let organizationId = '';

beforeAll(async () => {
  whole = makeQuickFolder();
  await using opened = await openSqliteStore({ dataDir: whole, indexFileRows: 1 });
  organizationId = await anOrganization(opened);
  const given = Array.from({ length: 400 }, (_, n) => ({
    content: `memory ${n} ${'of some length '.repeat(n % 4 === 0 ? 800 : 5)}`,
    metadata: { kind: `kind ${n % 7}` },
  }));
  const stored = await store(opened, organizationId, ...given);
  for (const memory of stored.slice(0, 20)) await softDelete(opened, memory);
});

afterAll(() => rmSync(whole, { recursive: true, force: true }));

describe('one page in a hundred that was overwritten', () => {
  test.each(SEEDS)('is detected by a start or by a check: seed %i', async (seed) => {
    const dataDir = damagedCopy(seed);

    const refusal = await openSqliteStore({ dataDir }).then(
      (opened) => opened[Symbol.asyncDispose](),
      (error: unknown) => error,
    );

    const faults = await faultsOf(dataDir);
    expect(faults).not.toEqual([]);
    if (refusal !== undefined) {
      expect(refusal).toBeInstanceOf(StoreOpenError);
      expect((refusal as Error).message).toMatch(/memory\.db cannot be used.*restore/);
    }
  });

  test.each(SEEDS.slice(0, 6))(
    'ends the service when it is read in a database too large for a check at the start: seed %i',
    async (seed) => {
      const dataDir = damagedCopy(seed);
      const faults: unknown[] = [];
      const opened = await opening({ dataDir, checkedBytes: 0, onFatal: (error) => faults.push(error) });
      if (!opened) return;

      await writeUntilRefused(opened);

      const commits = opened.commits;
      if (faults.length > 0) {
        expect(faults).toEqual([expect.any(StoreDamagedError)]);
        expect((faults[0] as Error).message).toMatch(/is damaged.*memory-server check.*restore/);
        await expect(store(opened, organizationId, {})).rejects.toThrow(StoreUnavailableError);
        await expect(opened.probe()).rejects.toThrow(StoreUnavailableError);
        await expect(anOrganization(opened)).rejects.toThrow(StoreUnavailableError);
        expect(opened.commits).toBe(commits);
      }
    },
  );

  test('is detected by the check during the first requests, even if no request reads it', async () => {
    const faults: unknown[] = [];
    // Uses the first seed that damages no page that every start reads.
    let opened: SqliteStore | undefined;
    for (let seed = 1; !opened && seed <= 50; seed += 1) {
      opened = await opening({ dataDir: damagedCopy(seed), checkedBytes: 0, onFatal: (error) => faults.push(error) });
    }
    if (!opened || faults.length > 0) throw new Error('no seed spares the pages that a start reads');

    await opened.warm().catch(() => {});

    await vi.waitFor(() => expect(faults).toEqual([expect.any(StoreDamagedError)]), PATIENT);
    await expect(store(opened, organizationId, {})).rejects.toThrow(StoreUnavailableError);
  });
});

describe('a database that is sound', () => {
  test('passes a check while it is used and after', async () => {
    const dataDir = copyOfWhole();
    const opened = await openSqliteStore({ dataDir, indexFileRows: 1 });
    const during = await faultsOf(dataDir);
    await opened[Symbol.asyncDispose]();

    expect(during).toEqual([]);
    expect(await faultsOf(dataDir)).toEqual([]);
  });

  test('reports that it is being checked until every table was read', async () => {
    const opened = await opening({ dataDir: copyOfWhole(), checkedBytes: 0 });

    await opened?.warm();

    expect(await opened?.probe()).toMatch(/being checked/);
    await vi.waitFor(async () => expect(await opened?.probe()).toBeUndefined(), PATIENT);
  });
});

test('damage detected by a read rejects writes before their commit, and loses no acknowledged write', async () => {
  const dataDir = copyOfWhole();
  const first = await openSqliteStore({ dataDir });
  const [memory] = await store(first, organizationId, {
    content: `${'long '.repeat(2_000)}MARK${' tail'.repeat(4_000)}`,
  });
  await first[Symbol.asyncDispose]();
  damagePageOf(join(dataDir, 'memory.db'), 'MARK');
  const opened = await opening({ dataDir, checkedBytes: 0 });
  const acknowledged = await store(opened!, organizationId, {}, {}, {});

  const reading = opened!.transact(organizationId, (unit) => unit.findById(memory!.id));
  const beside = store(opened!, organizationId, {});

  await expect(reading).rejects.toThrow(StoreUnavailableError);
  await expect(beside).rejects.toThrow(StoreUnavailableError);
  await opened![Symbol.asyncDispose]();
  const stored = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
  onTestFinished(() => stored.close());
  const ids = stored.all<{ id: string }>('SELECT id FROM memories INDEXED BY memories_by_id WHERE org = 1');
  expect(ids.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged.map(({ id }) => id)));
  expect(ids).toHaveLength(404);
});

test.each([0.3, 0.6, 0.95])('a database truncated to %f of its length is not opened', async (share) => {
  const dataDir = copyOfWhole();
  const path = join(dataDir, 'memory.db');
  truncateSync(path, Math.floor(statSync(path).size * share));

  await expect(openSqliteStore({ dataDir })).rejects.toThrow(StoreOpenError);
  expect(await faultsOf(dataDir)).not.toEqual([]);
});

test('a check detects a changed content that leaves the structure of the database valid', async () => {
  const dataDir = copyOfWhole();
  const path = join(dataDir, 'memory.db');
  const connection = new Connection(path);
  connection.exec("UPDATE memories SET content = replace(content, 'some', 'none') WHERE seq IN (30, 31)");
  connection.exec('UPDATE organizations SET active = active + 1');
  connection.exec('DELETE FROM vectors WHERE seq = 40');
  connection.close();

  expect(await faultsOf(dataDir)).toEqual([
    expect.stringMatching(/^contents: memory .* has content that does not match its hash/),
    expect.stringMatching(/^contents: memory .* has content that does not match its hash/),
    expect.stringMatching(/^vectors: memory .* has no vector/),
    expect.stringMatching(/^counts: organization .* has wrong counts/),
  ]);
});

test.each(['get', 'all', 'run', 'exec'] as const)(
  'damage is reported by every way to run a statement: %s',
  (method) => {
    const path = join(quickFolder(), 'some.db');
    const made = new Connection(path);
    made.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
    for (let n = 0; n < 300; n += 1) made.run('INSERT INTO t (b) VALUES (?)', 'x'.repeat(500));
    made.close();
    damagePages(path, 0.9, new SeededChoices(1));
    const faults: unknown[] = [];
    const connection = new Connection(path, { onFatal: (error) => faults.push(error) });
    onTestFinished(() => connection.close());

    expect(() => connection[method]('UPDATE t SET b = b || b RETURNING b')).toThrow(StoreUnavailableError);

    expect(faults).toHaveLength(1);
  },
);

function copyOfWhole(): string {
  const dataDir = quickFolder();
  cpSync(whole, dataDir, { recursive: true });
  return dataDir;
}

function damagedCopy(seed: number): string {
  const dataDir = copyOfWhole();
  damagePages(join(dataDir, 'memory.db'), 0.01, new SeededChoices(seed));
  return dataDir;
}

async function faultsOf(dataDir: string): Promise<string[]> {
  const faults: string[] = [];
  for await (const checked of checkDataFolder(dataDir, () => true)) {
    faults.push(...checked.faults.map((fault) => `${checked.what}: ${fault}`));
  }
  return faults;
}

/** Returns undefined if opening detects the damage. */
async function opening(options: SqliteStoreOptions): Promise<SqliteStore | undefined> {
  try {
    const opened = await openSqliteStore({ ...options, indexFileRows: 1 });
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  } catch (error) {
    expect(error).toBeInstanceOf(StoreOpenError);
    return undefined;
  }
}

/** Writes repeatedly, and reads everything between the writes. */
async function writeUntilRefused(opened: SqliteStore): Promise<void> {
  const query = { ...EVERYTHING, facets: ['kind'], valuesPerFacet: 9 };
  try {
    for (let n = 0; n < 5; n += 1) {
      await store(opened, organizationId, {}, {});
      await opened.memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 1_000 });
      await opened.memories.stats(organizationId, query);
      await opened.memories.matching(organizationId, { ...EVERYTHING, text: 'memory length', limit: 50 });
    }
  } catch (error) {
    expect(error).toBeInstanceOf(StoreUnavailableError);
  }
}

/** Overwrites the page that contains a text. */
function damagePageOf(path: string, text: string): void {
  const at = readFileSync(path).indexOf(text);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, at - (at % PAGE_BYTES));
  closeSync(file);
}
