import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anOrganization, FINGERPRINT, store as storeAll } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { builtModule } from '../../../../testing/processes/server-process.js';
import { openSqliteStore } from '../../store.js';
import { writeIndexFile } from '../file/index-file.js';
import type { SavedRows } from '../scan/block.js';
import { IndexThread } from './index-thread.js';

const PATIENT = { timeout: 10_000 };
const VECTORS = { fingerprint: 'test|axes|8', side: 1 };

test('reads files one after the other, also one that was read early', async () => {
  const { order, folder } = await setUp();
  const thread = opened();
  thread.start({ folder, maxBytes: Number.POSITIVE_INFINITY });

  const [first, missing, again] = await Promise.all([
    thread.readFile(order),
    thread.readFile({ ...order, path: join(folder, 'missing') }),
    thread.readFile(order),
  ]);

  expect([first, again].map((read) => read?.matrix.contents.slots.size)).toEqual([2, 2]);
  expect(first?.completeAt).toBe(7);
  expect(missing).toBeUndefined();
});

test('reads the vectors of a database, and files meanwhile', async () => {
  const { order } = await setUp();
  const stored = await storedVectors(2_000);
  const thread = opened();
  const answers: string[] = [];

  const [index, file] = await Promise.all([
    thread.readDatabase(stored).finally(() => answers.push('database')),
    thread.readFile(order).finally(() => answers.push('file')),
  ]);

  expect(index?.matrix.contents.slots.size).toBe(2_000);
  expect(file?.completeAt).toBe(7);
  expect(answers).toEqual(['file', 'database']);
});

test('keeps the process alive until it is closed', async () => {
  const { order } = await setUp();
  const module = JSON.stringify(builtModule('adapters/sqlite/vector-index/reader/index-thread.js'));
  const program = `const { IndexThread } = await import(${module});
    const thread = new IndexThread();
    const reading = thread.readFile(${JSON.stringify(order)});
    await thread[Symbol.asyncDispose]();
    console.log((await reading).completeAt, thread.isRunning);`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);

  expect(stdout).toBe('7 false\n');
});

test('does not finish a read of the database when it is closed', async () => {
  const stored = await storedVectors(2_000);
  const thread = opened();

  const reading = thread.readDatabase(stored);
  await thread[Symbol.asyncDispose]();

  expect(await reading).toBeUndefined();
});

test('ends when it has no orders, and starts again with the next one', async () => {
  const { order } = await setUp();
  const thread = opened(1);
  await thread.readFile(order);
  await vi.waitFor(() => expect(thread.isRunning).toBe(false), PATIENT);

  const read = await thread.readFile(order);

  expect(read?.dimensions).toBe(2);
});

test('finishes its orders when it is closed, and accepts no later ones', async () => {
  const { order } = await setUp();
  const thread = opened();

  const reading = thread.readFile(order);
  await thread[Symbol.asyncDispose]();

  expect((await reading)?.completeAt).toBe(7);
  expect(await thread.readFile(order)).toBeUndefined();
  expect(thread.isRunning).toBe(false);
});

function opened(idleMs?: number): IndexThread {
  const thread = new IndexThread(idleMs);
  onTestFinished(() => thread[Symbol.asyncDispose]());
  return thread;
}

async function setUp() {
  const folder = quickFolder();
  const path = join(folder, 'an-organization.vectors');
  const header = { organizationId: 'an-organization', fingerprint: VECTORS.fingerprint, dimensions: 2 };
  await writeIndexFile(path, header, someRows(), { token: 'a token', clock: 7 });
  const changes = { database: join(folder, 'memory.db'), org: 1, vectors: VECTORS };
  return { folder, order: { path, organizationId: 'an-organization', token: 'a token', clock: 7, changes } };
}

async function storedVectors(count: number) {
  const dataDir = quickFolder();
  await using store = await openSqliteStore({ dataDir });
  const organizationId = await anOrganization(store);
  await storeAll(store, organizationId, ...Array.from({ length: count }, () => ({})));
  return { database: join(dataDir, 'memory.db'), org: 1, vectors: { fingerprint: FINGERPRINT, side: 1 } };
}

async function* someRows(): AsyncGenerator<SavedRows> {
  const [seqs, createdAts, codes] = [Float64Array.of(1, 2), Float64Array.of(5, 6), Int8Array.of(1, 2, 3, 4)];
  yield { seqs, createdAts, codes, step: 0.1, error: 0.01 };
}
