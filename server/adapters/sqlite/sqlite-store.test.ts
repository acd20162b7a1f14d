import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { StoreUnavailableError } from '../../ports/store-errors.js';
import { countTurns } from '../../testing/fixtures/count-turns.js';
import {
  anOrganization,
  atCosine,
  change,
  indexedBy,
  insertInto,
  NORTH,
  softDelete,
  store,
} from '../../testing/fixtures/memories.js';
import { Connection } from './engine/connection.js';
import { openSqliteStore, type SqliteStoreOptions } from './store.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };

describe('SqliteStore', () => {
  test('shares a commit among units that wait together', async () => {
    const { opened } = await open();
    const organizationId = await anOrganization(opened);
    const before = opened.commits;
    // The clock is stopped, since a group ends early on a busy machine.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());

    await Promise.all(Array.from({ length: 64 }, () => store(opened, organizationId, {})));

    expect(opened.commits - before).toBeLessThan(16);
  });

  test('writes search counts within a second without another write', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { opened, dataDir } = await open();
    const organizationId = await anOrganization(opened);
    opened.usage.countSearch(organizationId, '2024-05');

    await vi.advanceTimersByTimeAsync(1_000);

    const reader = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
    onTestFinished(() => reader.close());
    const written = () => expect(reader.all('SELECT search FROM usage')).toMatchObject([{ search: 1 }]);
    await vi.waitFor(written, { timeout: 60_000 });
    expect(await opened.usage.read(organizationId, '2024-05')).toEqual({ ingest: 0, search: 1 });
  });

  test('writes the uses by day within a second, and not with each unit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { opened, dataDir } = await open();
    const organizationId = await anOrganization(opened);
    const reader = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
    onTestFinished(() => reader.close());
    const count = () => opened.transact(organizationId, (unit) => unit.countDaily('2024-05-01', 'stored'));
    await count();
    await count();

    expect(reader.all('SELECT stored FROM daily_usage')).toEqual([]);
    expect(await opened.usage.days(organizationId, '')).toMatchObject([{ day: '2024-05-01', stored: 2 }]);
    await vi.advanceTimersByTimeAsync(1_000);

    const written = () => expect(reader.all('SELECT stored FROM daily_usage')).toMatchObject([{ stored: 2 }]);
    await vi.waitFor(written, { timeout: 60_000 });
    await count();
    expect(await opened.usage.days(organizationId, '')).toMatchObject([{ day: '2024-05-01', stored: 3 }]);
  });

  test('gives others a turn during a unit that writes much', async () => {
    const { opened } = await open();
    const organizationId = await anOrganization(opened);
    const turns = countTurns();

    await store(opened, organizationId, ...Array.from({ length: 1_500 }, () => ({})));

    expect(turns()).toBeGreaterThan(5);
  });

  test('builds its index from the database while writers continue', async () => {
    const { opened: first, dataDir } = await open();
    const organizationId = await anOrganization(first);
    const given = Array.from({ length: 3_000 }, (_, n) => ({ embedding: atCosine((n % 900) / 1_000, 1 + (n % 7)) }));
    const memories = await store(first, organizationId, ...given);
    await first[Symbol.asyncDispose]();
    const { opened } = await open({ dataDir });

    const building = opened.warm();
    const [early, late] = [memories[10]!, memories[2_990]!];
    await Promise.all([
      softDelete(opened, early),
      softDelete(opened, memories[2_500]!),
      change(opened, late, { content: 'changed' }, NORTH),
      change(opened, memories[20]!, { content: 'changed as well' }, atCosine(0.99)),
    ]);
    const [added] = await store(opened, organizationId, { embedding: atCosine(0.98) });
    await building;

    const query = { ...EVERYTHING, vector: NORTH, limit: 3_002 };
    const found = (await opened.memories.nearest(organizationId, query)).map(({ memory }) => memory.id);
    expect(found.slice(0, 3)).toEqual([late.id, memories[20]!.id, added!.id]);
    expect(new Set(found).size).toBe(2_999);
    expect(found).not.toContain(early.id);
    const deleted = await opened.memories.nearest(organizationId, { ...query, includeDeleted: true });
    expect(deleted).toHaveLength(3_001);
  });

  test('rejects a vector whose dimensions differ from others of its embedder', async () => {
    const { opened } = await open();
    const organizationId = await anOrganization(opened);
    await store(opened, organizationId, {});

    const inserting = store(opened, organizationId, { embedding: new Float32Array([1, 0]) });

    await expect(inserting).rejects.toThrow(/dimensions/);
    const query = { ...EVERYTHING, vector: new Float32Array([1, 0]), limit: 1 };
    await expect(opened.memories.nearest(organizationId, query)).rejects.toThrow(/dimensions/);
    await expect(store(opened, organizationId, {})).resolves.toHaveLength(1);
  });

  test('empties the log when it is closed', async () => {
    const { opened, dataDir } = await open();
    await store(opened, await anOrganization(opened), {});

    await opened[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();

    const log = statSync(join(dataDir, 'memory.db-wal'), { throwIfNoEntry: false });
    expect(log?.size ?? 0).toBe(0);
    await expect(opened.probe()).rejects.toThrow(StoreUnavailableError);
  });

  test('reports a damaged database as fatal, and rejects every call from then on', async () => {
    const { opened: first, dataDir } = await open();
    const organizationId = await anOrganization(first);
    const given = Array.from({ length: 300 }, (_, n) => ({ content: `${n} ${'x'.repeat(6_000)}` }));
    const memories = await store(first, organizationId, ...given);
    await first[Symbol.asyncDispose]();
    overwriteSome(join(dataDir, 'memory.db'));
    const faults: unknown[] = [];
    const { opened } = await open({ dataDir, checkedBytes: 0, onFatal: (error) => faults.push(error) });

    const reading = Promise.all(memories.map(({ id }) => opened.memories.findById(organizationId, id)));

    await expect(reading).rejects.toThrow(StoreUnavailableError);
    expect(faults).toHaveLength(1);
    await expect(opened.probe()).rejects.toThrow(/restart the service/);
    await expect(store(opened, organizationId, {})).rejects.toThrow(StoreUnavailableError);
  });

  test('does not open a database whose first pages are damaged, and unlocks the folder', async () => {
    const { opened, dataDir } = await open();
    const organizationId = await anOrganization(opened);
    await store(opened, organizationId, ...Array.from({ length: 300 }, () => ({})));
    await opened[Symbol.asyncDispose]();
    const file = join(dataDir, 'memory.db');
    const connection = new Connection(file);
    connection.exec('DROP TABLE keyword_state; CREATE TABLE keyword_state (seq TEXT) STRICT');
    connection.exec("INSERT INTO keyword_state VALUES ('x'); DROP TABLE memories; PRAGMA user_version = 1");
    connection.close();

    await expect(openSqliteStore({ dataDir })).rejects.toThrow();
    await expect(openSqliteStore({ dataDir })).rejects.not.toThrow(/Another process/);
  });

  test('uses the wall clock in microseconds by default', async () => {
    const { opened } = await open();
    const organizationId = await anOrganization(opened);
    const before = Date.now() * 1_000;

    const tick = await opened.transact(organizationId, (unit) => unit.tick());

    expect(tick).toBeGreaterThanOrEqual(before - 1_000_000);
    expect(tick).toBeLessThanOrEqual((Date.now() + 1_000) * 1_000);
  });

  test('leaves nothing of an update that was rejected as a duplicate', async () => {
    const { opened } = await open();
    const organizationId = await anOrganization(opened);
    const [, memory] = await store(
      opened,
      organizationId,
      { content: 'taken' },
      { content: 'mine', metadata: { a: 1 } },
    );

    await opened.transact(organizationId, async (unit) => {
      const changed = { ...memory!, content: 'taken', metadata: { b: 1 }, updatedAt: await unit.tick() };
      await expect(unit.update(changed, indexedBy(changed, atCosine(0.1)))).rejects.toThrow();
      await insertInto(unit, { content: 'other', embedding: atCosine(0.5) });
    });

    const query = { ...EVERYTHING, vector: NORTH, limit: 9, minSimilarity: 0.9 };
    expect(await opened.memories.nearest(organizationId, query)).toHaveLength(2);
    const words = { ...EVERYTHING, text: 'mine', limit: 9 };
    expect((await opened.memories.matching(organizationId, words)).matches).toHaveLength(1);
  });
});

async function open(options: Partial<SqliteStoreOptions> = {}) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'memory-sqlite-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const opened = await openSqliteStore({ ...options, dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, dataDir };
}

/** Overwrites a part in the middle of a file with bytes that are not database pages. */
function overwriteSome(path: string): void {
  const quarter = Math.floor(statSync(path).size / 4);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(quarter, 0xff), 0, quarter, quarter);
  closeSync(file);
}
