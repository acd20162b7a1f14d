import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import { NORTH } from '../../../testing/fixtures/memories.js';
import { OrganizationIndex } from './organization-index.js';
import { IndexReader } from './reader/index-reader.js';
import { SavedIndexes } from './saved-indexes.js';
import { quantized } from './scan/codes/quantize.js';
import type { SavedMatrix } from './scan/saved-matrix.js';
import { plainScan } from './scan/scan.js';
import { SpreadMatrix } from './scan/spread-matrix.js';
import { ScanThreads } from './scan/threads/scan-threads.js';
import { VectorIndexes } from './vector-indexes.js';

const ORG = 1;
const VECTORS = { fingerprint: 'test|axes|8', side: 1 };
const EMPTY_SOURCE = {
  searched: () => VECTORS,
  pending: () => undefined,
  hasMoreThan: () => false,
  read: () => [],
  changes: () => [],
};
const threads = new ScanThreads();
const newMatrix = (dimensions: number, saved?: SavedMatrix) => new SpreadMatrix(dimensions, plainScan, threads, saved);

test('an index is loaded from its file and complete up to the clock of the file', async () => {
  const { archive, fill } = setUp();
  await archive.save(ORG, fill());
  const loaded = new OrganizationIndex(VECTORS, newMatrix);

  expect(await archive.load(ORG, loaded)).toBe(7);
  expect(loaded.active?.size).toBe(1);
});

test('an index is not loaded if a vector is replaced while its file is read', async () => {
  const { archive, fill, ledger } = setUp();
  await archive.save(ORG, fill());
  ledger.afterRead = () => {
    ledger.token = 'of no file';
  };

  expect(await archive.load(ORG, new OrganizationIndex(VECTORS, newMatrix))).toBeUndefined();
});

test('an index is not saved if a vector is replaced while its file is written', async () => {
  const { archive, fill, ledger } = setUp();
  ledger.afterRead = () => {
    ledger.token = 'of no file';
  };

  expect(await archive.save(ORG, fill())).toBe(false);
  expect(ledger.token).toBe('of no file');
});

test('changes are written behind the file, and are part of the index that is loaded', async () => {
  const { archive, fill, ledger, put } = setUp();
  const index = fill(4);
  await archive.save(ORG, index);
  const whole = ledger.fileSize();
  put(index, 5);
  index.apply({ kind: 'leave', seq: 2 });
  ledger.clock = 9;

  expect(archive.unsaved(index)).toBe(2);
  expect(await archive.save(ORG, index)).toBe(true);
  expect(archive.unsaved(index)).toBe(0);

  expect(ledger.fileSize()).toBeGreaterThan(whole);
  expect(await loaded(archive)).toEqual({ clock: 9, seqs: [1, 3, 4, 5] });
});

test('an index that was loaded from its file is saved behind it', async () => {
  const { archive, fill, put } = setUp();
  await archive.save(ORG, fill(4));
  const index = new OrganizationIndex(VECTORS, newMatrix);
  await archive.load(ORG, index);
  put(index, 9);

  expect(archive.unsaved(index)).toBe(1);
  expect(await archive.save(ORG, index)).toBe(true);
  expect((await loaded(archive)).seqs).toEqual([1, 2, 3, 4, 9]);
});

test('what follows the state that the database knows is not used, and is replaced by the next state', async () => {
  const { archive, fill, ledger, put } = setUp();
  const index = fill(4);
  await archive.save(ORG, index);
  const { token, clock } = ledger;
  put(index, 5);
  ledger.clock = 9;
  await archive.save(ORG, index);

  Object.assign(ledger, { token, clock });
  const restored = new OrganizationIndex(VECTORS, newMatrix);
  await archive.load(ORG, restored);
  put(restored, 6);
  await archive.save(ORG, restored);

  expect((await loaded(archive)).seqs).toEqual([1, 2, 3, 4, 6]);
});

test('changes that a crash left incomplete in the file are not used, and are replaced by the next ones', async () => {
  const { archive, fill, folder, put } = setUp();
  const index = fill(4);
  await archive.save(ORG, index);
  const path = join(folder, 'an-organization.vectors');
  const whole = readFileSync(path);
  put(index, 5);
  await archive.save(ORG, index);
  const torn = setUp();
  await torn.archive.save(ORG, torn.fill(4));
  const tornPath = join(torn.folder, 'an-organization.vectors');
  appendFileSync(tornPath, readFileSync(path).subarray(whole.length, whole.length + 40));

  const loadedAgain = new OrganizationIndex(VECTORS, newMatrix);
  expect(await torn.archive.load(ORG, loadedAgain)).toBe(7);
  put(loadedAgain, 6);
  expect(await torn.archive.save(ORG, loadedAgain)).toBe(true);
  expect((await loaded(torn.archive)).seqs).toEqual([1, 2, 3, 4, 6]);
});

test('a file is written again when most of its rows were replaced', async () => {
  const { archive, fill, ledger, put } = setUp();
  const index = fill(4);
  await archive.save(ORG, index);
  const whole = ledger.fileSize();

  for (let round = 0; round < 3; round += 1) {
    put(index, 1);
    put(index, 2);
    await archive.save(ORG, index);
  }

  expect(ledger.fileSize()).toBeLessThan(2 * whole);
  expect((await loaded(archive)).seqs).toEqual([1, 2, 3, 4]);
});

test('a write that failed is retried when a part of the index has changed', async () => {
  const { archive, fill, folder, put } = setUp();
  const index = fill(40);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');

  expect(await archive.save(ORG, index)).toBe(false);
  expect(archive.unsaved(index)).toBe(1);
  put(index, 1);
  put(index, 2);
  expect(archive.unsaved(index)).toBe(2);
  rmSync(folder);
  expect(await archive.save(ORG, index)).toBe(true);
  expect((await loaded(archive)).seqs).toHaveLength(40);
});

test('organizations come in the order of their last writes of a file, without those with small files', () => {
  const { archive, folder, ledger } = setUp();
  ledger.organizations = () => [1, 2, 3, 4, 5];
  const idOf = (org: number) => (org === 4 ? undefined : `organization-${org}`);
  Object.assign(ledger, {
    read: (org: number) => idOf(org) && { organizationId: idOf(org), clock: 1, token: 'a token' },
  });
  for (const [org, writtenAt, bytes] of [
    [1, 100, 512],
    [3, 200, 600],
    [5, 300, 511],
  ] as const) {
    const path = join(folder, `organization-${org}.vectors`);
    writeFileSync(path, new Uint8Array(bytes));
    utimesSync(path, writtenAt, writtenAt);
  }

  expect(archive.recentFirst()).toEqual([3, 1, 2, 4]);
});

test('an index has no rows that were put before it was loaded, and its later changes are saved', async () => {
  const { archive, fill, put } = setUp();
  await archive.save(ORG, fill(4));
  const index = new OrganizationIndex(VECTORS, newMatrix);
  const loading = archive.load(ORG, index);
  put(index, 9);
  await loading;
  const before = index.active?.size;
  put(index, 9);

  expect(before).toBe(4);
  expect(archive.unsaved(index)).toBe(1);
});

test('an evicted index is saved in its state at the eviction, unless its file has most of it', async () => {
  const { archive, fill, ledger, put } = setUp();
  const index = fill(16);

  const save = archive.saveOfEvicted(ORG, index);
  ledger.clock = 9;
  const isSaved = await save?.();

  expect(isSaved).toBe(true);
  expect(await loaded(archive)).toMatchObject({ clock: 7, seqs: { length: 16 } });
  put(index, 17);
  expect(archive.saveOfEvicted(ORG, index)).toBeUndefined();
  put(index, 18);
  put(index, 19);
  expect(archive.saveOfEvicted(ORG, index)).toBeTypeOf('function');
});

test('an evicted index is not saved while the database fails', () => {
  const { archive, fill, ledger } = setUp();
  ledger.afterRead = () => {
    throw new StoreUnavailableError('the disk is full');
  };

  expect(archive.saveOfEvicted(ORG, fill(16))).toBeUndefined();
});

test('only indexes with enough changes are saved', async () => {
  const saved: number[] = [];
  const archive = {
    load: async () => 0,
    unsaved: ({ active }: OrganizationIndex) => active?.size ?? 0,
    save: async (org: number) => {
      saved.push(org);
      return true;
    },
    saveOfEvicted: () => undefined,
    remove: async () => {},
  };
  const indexes = new VectorIndexes(EMPTY_SOURCE, { scan: plainScan, threads }, { archive });
  for (const [org, seqs] of [[1], [1, 2], [1, 2, 3]].entries()) {
    await indexes.warm(org);
    for (const seq of seqs) {
      indexes.apply(org, { kind: 'put', active: true, seq, createdAt: seq, quantized: quantized(NORTH) });
    }
  }

  await indexes.save(2);

  expect(saved).toEqual([1, 2]);
});

test('few evicted indexes wait to be saved, and others are only dropped', async () => {
  const saved: number[] = [];
  let release = () => {};
  const released = new Promise<boolean>((resolve) => {
    release = () => resolve(true);
  });
  const archive = {
    load: async () => 0,
    unsaved: () => 0,
    save: async () => false,
    saveOfEvicted: (org: number) => () => {
      saved.push(org);
      return released;
    },
    remove: async () => {},
  };
  const indexes = new VectorIndexes(EMPTY_SOURCE, { scan: plainScan, threads }, { archive, budgetBytes: 1 });
  for (let org = 1; org <= 6; org += 1) {
    using lease = await indexes.lease(org, false);
    expect(lease).toBeDefined();
    indexes.apply(org, { kind: 'put', active: true, seq: org, createdAt: 1, quantized: quantized(NORTH) });
  }
  release();
  await indexes.unsave(1);

  expect(saved).toEqual([1, 2]);
  expect(indexes.use.organizations).toBe(1);
});

async function loaded(archive: SavedIndexes): Promise<{ clock: number | undefined; seqs: number[] }> {
  const index = new OrganizationIndex(VECTORS, newMatrix);
  const clock = await archive.load(ORG, index);
  const found = await index.active?.search({ query: quantized(NORTH), k: 100 });
  return { clock, seqs: (found?.candidates ?? []).map(({ seq }) => seq).sort((a, b) => a - b) };
}

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'memory-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ledger = {
    token: undefined as string | undefined,
    clock: 7,
    fileSize: () => statSync(join(folder, 'an-organization.vectors')).size,
    afterRead: () => {},
    organizations: () => [ORG],
    read: () => {
      const known = { organizationId: 'an-organization', clock: ledger.clock, token: ledger.token };
      ledger.afterRead();
      return known;
    },
    replaceToken: async (_org: number, former: string | undefined, token: string) => {
      if (ledger.token !== former) return false;
      ledger.token = token;
      return true;
    },
  };
  const put = (index: OrganizationIndex, seq: number) =>
    index.apply({ kind: 'put', active: true, seq, createdAt: 5, quantized: quantized(NORTH) });
  const fill = (rows = 1) => {
    const index = new OrganizationIndex(VECTORS, newMatrix);
    for (let seq = 1; seq <= rows; seq += 1) put(index, seq);
    return index;
  };
  return {
    archive: new SavedIndexes(
      { folder, database: 'no database' },
      ledger,
      (order) => new IndexReader().readFile(order),
      1,
    ),
    fill,
    folder,
    ledger,
    put,
  };
}
