import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import { copyFiles } from '../../../../testing/embedded/data-folder.js';
import { anOrganization, change, NORTH, softDelete, store as storeAll } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { openDatabase } from '../../engine/database.js';
import { openSqliteStore } from '../../store.js';
import { indexLedger } from '../index-ledger.js';
import { VectorMatrix } from '../scan/matrix.js';
import { plainScan } from '../scan/scan.js';
import { vectorSource } from '../vector-source.js';
import { EarlyFile } from './early-file.js';
import { type IndexFileOrder, IndexReader, type ReadIndex, readLastState } from './index-reader.js';

const ORG = 1;
/** Links to the open files of this process, on Linux. */
const OPEN_FILES = '/proc/self/fd';

test('an index that is read has the changes that its file does not have', async () => {
  const { order, clock } = await changedSince();

  const read = await readIndex(order);

  expect(read?.completeAt).toBe(clock);
  expect(seqsOf(read)).toEqual([2, 3, 4, 5, 6]);
  expect(new Set(read?.changed)).toEqual(new Set([1, 2, 5, 6]));
});

test('the log of the database can restart after an index was read', async () => {
  const { order, writer } = await changedSince();
  using reader = new IndexReader();
  await reader.readFile(order);
  writer.exec('UPDATE probes SET written_at = written_at + 1');

  expect(writer.get('PRAGMA wal_checkpoint(RESTART)')).toMatchObject({ busy: 0 });
});

test.skipIf(!existsSync(OPEN_FILES))('a reader opens the database once', async () => {
  const { order } = await changedSince();
  const before = openedFiles(order.changes.database);
  using reader = new IndexReader();

  for (let n = 0; n < 5; n += 1) expect((await reader.readFile(order))?.completeAt).toBe(order.clock);

  expect(openedFiles(order.changes.database)).toBe(before + 1);
});

test('an index is complete up to the time of its file if the changes cannot be read', async () => {
  const { order, clock } = await changedSince();

  const read = await readIndex({ ...order, changes: { ...order.changes, database: '/no/database' } });

  expect(read?.completeAt).toBeLessThan(clock);
  expect(read?.changed).toEqual([]);
  expect(seqsOf(read)).toEqual([1, 2, 3, 4]);
});

test('a file that was read early is not read again, unless its last state is another one', async () => {
  const { folder, order } = await changedSince();
  const paths: string[] = [];
  const early = new EarlyFile((path) => {
    paths.push(path);
    return readLastState(path);
  });
  const missing = join(quickFolder(), 'missing');
  const readEarly = async (token: string) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    early.read(folder, Number.POSITIVE_INFINITY);
    return readIndex({ ...order, token }, early);
  };

  const read = await readEarly(order.token);
  const other = await readEarly('of another state');

  expect(paths).toEqual([order.path, order.path]);
  expect(seqsOf(read)).toEqual([2, 3, 4, 5, 6]);
  expect(other).toBeUndefined();
  expect(await readIndex({ ...order, path: missing }, early)).toBeUndefined();
});

test('a file without a state at its end has no last state', async () => {
  const { order } = await changedSince();
  const longer = `${order.path}.longer`;
  copyFileSync(order.path, longer);
  appendFileSync(longer, readFileSync(order.path).subarray(25, 60));
  const shorter = `${order.path}.shorter`;
  writeFileSync(shorter, readFileSync(order.path).subarray(0, -1));

  expect(readLastState(order.path)?.state.token).toBe(order.token);
  expect(readLastState(longer)).toBeUndefined();
  expect(readLastState(shorter)).toBeUndefined();
});

async function readIndex(order: IndexFileOrder, early?: EarlyFile): Promise<ReadIndex | undefined> {
  using reader = new IndexReader(early);
  return await reader.readFile(order);
}

/** Returns an order for a file with the memories 1 to 4, after which 1 was deleted, 2 changed, and 5 and 6 created. */
async function changedSince() {
  const [dataDir, killed] = [quickFolder(), quickFolder()];
  const first = await openSqliteStore({ dataDir, indexFileRows: 1 });
  const organizationId = await anOrganization(first);
  const memories = await storeAll(first, organizationId, {}, {}, {}, {});
  await first.memories.nearest(organizationId, { vector: NORTH, limit: 1, filter: NO_FILTER, includeDeleted: false });
  await first[Symbol.asyncDispose]();
  const second = await openSqliteStore({ dataDir, indexFileRows: 1 });
  await softDelete(second, memories[0]!);
  await change(second, memories[1]!, { content: 'changed' }, NORTH);
  await storeAll(second, organizationId, {}, {});
  copyFiles(dataDir, killed);
  await second[Symbol.asyncDispose]();
  const { reader, writer, close } = openDatabase(killed, () => {});
  onTestFinished(close);
  const { clock, token } = indexLedger(reader, writer, (work) => work()).read(ORG)!;
  const folder = join(killed, 'indexes');
  const changes = { database: join(killed, 'memory.db'), org: ORG, vectors: vectorSource(reader).searched(ORG)! };
  const path = join(folder, `${organizationId}.vectors`);
  return { clock, folder, writer, order: { path, organizationId, token: token!, clock, changes } };
}

function seqsOf(read: ReadIndex | undefined): number[] {
  const matrix = read && new VectorMatrix(read.dimensions, plainScan, read.matrix);
  return [...(matrix?.copy(0, 100).seqs ?? [])].sort((a, b) => a - b);
}

/** Returns how often this process has a file open. */
function openedFiles(path: string): number {
  const links = readdirSync(OPEN_FILES).map((descriptor) => join(OPEN_FILES, descriptor));
  return links.filter((link) => existsSync(link) && readlinkSync(link) === path).length;
}
