import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { builtModule } from '../../testing/processes/server-process.js';
import { endNativeThread, startNativeThread } from './native-thread.js';

test('a thread ends after its native call, and begins no other', async () => {
  const [calls, mayEnd] = [0, 1];
  const cells = new Int32Array(new SharedArrayBuffer(8));
  const worker = startNativeThread(moduleOf(CALLS_UNTIL_TOLD), { cells });
  onTestFinished(async () => void (await worker.terminate()));
  const exit = once(worker, 'exit').then(() => 'ended');
  await once(worker, 'message');

  const ended = endNativeThread(worker);
  const first = await Promise.race([exit, setTimeout(50, 'still in its call')]);
  Atomics.store(cells, mayEnd, 1);
  Atomics.notify(cells, mayEnd);
  await ended;

  expect(first).toBe('still in its call');
  expect(await exit).toBe('ended');
  expect(Atomics.load(cells, calls)).toBe(1);
});

test('a thread that failed to start can be ended', async () => {
  const worker = startNativeThread(moduleOf('throw new Error("on purpose");'), {});
  await expect(once(worker, 'exit')).rejects.toThrow('on purpose');

  await expect(endNativeThread(worker)).resolves.toBeUndefined();
});

describe('the process exits with its code', () => {
  test('while threads scan vectors', () => expectExits(scans()));

  test('while threads use a database', () => expectExits(reads()));

  test('after a thread has loaded its modules', async () => {
    const loaded = join(quickFolder(), 'loaded');

    await expectExits(loads(loaded), 1);

    expect(existsSync(loaded)).toBe(true);
  });

  test('a second after a native call that does not end', () => expectExits(callsWithoutEnd(), 1));
});

/** The start of a module for a thread. */
const CALLS = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { callNative, endLoading, pauseCalls } from ${built('adapters/threads/native-calls.js')};
  endLoading();
`;

/** Counts its calls, each of which lasts until it is told to end. */
const CALLS_UNTIL_TOLD = `${CALLS}
  for (;;) {
    callNative(() => {
      Atomics.add(workerData.cells, 0, 1);
      parentPort.postMessage('called');
      Atomics.wait(workerData.cells, 1, 0);
    });
  }
`;

/** The start of a program that exits while its thread works. */
const PROGRAM = `
  import { once } from 'node:events';
  const { startNativeThread } = await import(${built('adapters/threads/native-thread.js')});
`;

function scans(): string {
  return `
    const { ScanThreads } = await import(${built('adapters/sqlite/vector-index/scan/threads/scan-threads.js')});
    const [rows, dimensions] = [10_000, 256];
    const query = { codes: new Int8Array(dimensions).fill(1), step: 1 };
    const shards = new ScanThreads({ count: 2 }).shards(dimensions);
    const searches = shards.flatMap((shard) => {
      const seqs = Float64Array.from({ length: rows }, (_, row) => row + 1);
      shard.append({ seqs, createdAts: seqs.slice(), codes: new Int8Array(rows * dimensions).fill(1), step: 1 });
      return Array.from({ length: 1_000 }, () => shard.search({ query, k: 10 }));
    });
    await Promise.all([searches[20], searches[1_020]]);
    process.exit(7);
  `;
}

function reads(): string {
  return `${PROGRAM}
    const thread = startNativeThread(${JSON.stringify(readerModule())}, { path: ':memory:' });
    thread.postMessage({ order: 'read' });
    await once(thread, 'message');
    process.exit(7);
  `;
}

function loads(marker: string): string {
  const loading = `
    import { writeFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    import { endLoading } from ${built('adapters/threads/native-calls.js')};
    await setTimeout(100);
    writeFileSync(${JSON.stringify(marker)}, '');
    endLoading();
  `;
  return `${PROGRAM}
    const thread = startNativeThread(${JSON.stringify(moduleOf(loading))}, {});
    await once(thread, 'online');
    process.exit(7);
  `;
}

function callsWithoutEnd(): string {
  const calling = `${CALLS}
    callNative(() => {
      parentPort.postMessage('called');
      for (;;);
    });
  `;
  return `${PROGRAM}
    const thread = startNativeThread(${JSON.stringify(moduleOf(calling))}, {});
    await once(thread, 'message');
    process.exit(7);
  `;
}

/** Returns a module whose threads read a database without end. */
function readerModule(): string {
  return moduleOf(`
    import { parentPort } from 'node:worker_threads';
    import { serveReads } from ${built('adapters/sqlite/engine/threads/serve-orders.js')};
    serveReads((connection, order, assertWanted) => {
      parentPort.postMessage('begun');
      for (;;) {
        connection.all('SELECT value, zeroblob(10) FROM json_each(?)', '[1,2,3,4,5,6,7,8,9]');
        assertWanted();
      }
    });
  `);
}

/** Runs a program several times, because the moment of its exit differs. */
async function expectExits(program: string, rounds = 5): Promise<void> {
  const args = ['--input-type=module', '--eval', program];
  for (let round = 0; round < rounds; round += 1) {
    const running = promisify(execFile)(process.execPath, args);
    await expect(running).rejects.toMatchObject({ code: 7, signal: null, stderr: '' });
  }
}

function moduleOf(program: string): string {
  const path = join(quickFolder(), 'program.mjs');
  writeFileSync(path, program);
  return path;
}

/** Returns the path of a built module as a literal. */
function built(path: string): string {
  return JSON.stringify(builtModule(path));
}
