import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import type { SavedRows } from '../scan/block.js';
import { writeIndexFile } from './index-file.js';
import { IndexFileThread } from './index-file-thread.js';

const PATIENT = { timeout: 10_000 };
const VECTORS = { fingerprint: 'test|axes|8', side: 1 };

test('reads files one after the other, also one that was read early', async () => {
  const { order, folder } = await setUp();
  const thread = opened();
  thread.start({ folder, maxBytes: Number.POSITIVE_INFINITY });

  const [first, missing, again] = await Promise.all([
    thread.read(order),
    thread.read({ ...order, path: join(folder, 'missing') }),
    thread.read(order),
  ]);

  expect([first, again].map((read) => read?.matrix.contents.slots.size)).toEqual([2, 2]);
  expect(first?.completeAt).toBe(7);
  expect(missing).toBeUndefined();
});

test('ends when it has no orders, and starts again with the next one', async () => {
  const { order } = await setUp();
  const thread = opened(1);
  await thread.read(order);
  await vi.waitFor(() => expect(thread.isRunning).toBe(false), PATIENT);

  const read = await thread.read(order);

  expect(read?.dimensions).toBe(2);
});

test('finishes its orders when it is closed, and accepts no later ones', async () => {
  const { order } = await setUp();
  const thread = opened();

  const reading = thread.read(order);
  await thread[Symbol.asyncDispose]();

  expect((await reading)?.completeAt).toBe(7);
  expect(await thread.read(order)).toBeUndefined();
  expect(thread.isRunning).toBe(false);
});

function opened(idleMs?: number): IndexFileThread {
  const thread = new IndexFileThread(idleMs);
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

async function* someRows(): AsyncGenerator<SavedRows> {
  const [seqs, createdAts, codes] = [Float64Array.of(1, 2), Float64Array.of(5, 6), Int8Array.of(1, 2, 3, 4)];
  yield { seqs, createdAts, codes, step: 0.1, error: 0.01 };
}
