import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TestThreads } from '../../../../../testing/embedded/test-threads.js';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { builtModule } from '../../../../../testing/processes/server-process.js';
import { BLOCK_ROWS } from '../block.js';
import type { Quantized } from '../codes/quantize.js';
import { NOTHING } from '../matrix-search.js';
import { LostThreadError } from './scan-thread.js';
import type { Shard } from './shard.js';

const VECTOR = { codes: new Int8Array([1, 2]), step: 1 };

test('a thread keeps the process alive only while a search waits for it', async () => {
  const program = `
    const { ScanThreads } = await import(${JSON.stringify(builtModule('adapters/sqlite/vector-index/scan/threads/scan-threads.js'))});
    const [shard] = new ScanThreads({ count: 1 }).shards(2);
    const vector = { codes: new Int8Array([1, 2]), step: 1 };
    shard.add({ seq: 7, createdAt: 1 }, vector);
    const { candidates: [found] } = await shard.search({ query: vector, k: 1 });
    console.log(found.seq);`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);

  expect(stdout).toBe('7\n');
});

test('new rows wait for the next search, 63 at most, and removed ones for nothing', async () => {
  await using mortal = new TestThreads();
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => posted.mockRestore());
  const [shard] = mortal.threads.shards(2);

  for (let seq = 1; seq <= 63; seq += 1) shard!.add({ seq, createdAt: seq }, VECTOR);
  await Promise.resolve();
  const waiting = posted.mock.calls.length;
  expect((await shard!.search({ query: VECTOR, k: 100 })).candidates).toHaveLength(63);
  const searched = posted.mock.calls.length;
  for (let seq = 64; seq <= 127; seq += 1) shard!.add({ seq, createdAt: seq }, VECTOR);
  const full = posted.mock.calls.length;
  shard!.remove(1);
  await Promise.resolve();

  expect([waiting, searched, full, posted.mock.calls.length]).toEqual([0, 2, 3, 4]);
  expect((await shard!.search({ query: VECTOR, k: 200 })).candidates).toHaveLength(126);
});

describe('sketches', () => {
  const [dimensions, rows] = [512, 2 * BLOCK_ROWS];
  const matrixBytes = rows * dimensions;

  /** Gives a thread rows in clusters, several times, and returns the first of them as the query. */
  function clustered(shard: Shard, times = 1): Quantized {
    const random = seededRandom(1);
    const makers = Array.from({ length: 20 }, () => Array.from({ length: dimensions }, () => random() - 0.5));
    const codes = Int8Array.from({ length: matrixBytes }, (_, at) => {
      const maker = makers[Math.floor(at / dimensions) % makers.length]!;
      return 200 * maker[at % dimensions]! + 40 * (random() - 0.5);
    });
    const query = { codes: codes.slice(0, dimensions), step: 0.001 };
    for (let time = 0; time < times; time += 1) {
      const seqs = Float64Array.from({ length: rows }, (_, row) => time * rows + row + 1);
      shard.append({ seqs, createdAts: seqs.slice(), codes: codes.slice(), step: 0.001 });
    }
    return query;
  }

  test('a thread makes them while it has no search, and reads them first', async () => {
    await using mortal = new TestThreads();
    const [shard] = mortal.threads.shards(dimensions);
    const query = clustered(shard!);
    const first = await shard!.search({ query, k: 10 });

    const sketched = await vi.waitFor(
      async () => {
        const found = await shard!.search({ query, k: 10 });
        expect(found.bytes).toBeLessThan(matrixBytes / 2);
        return found;
      },
      { timeout: 100_000, interval: 50 },
    );

    expect(first.bytes).toBe(matrixBytes);
    expect(sketched.candidates).toEqual(first.candidates);
    expect((await shard!.search({ query, k: 10, exact: true })).bytes).toBe(matrixBytes);
  });

  test('a helper is woken to read them', async () => {
    await using mortal = new TestThreads();
    const [shard] = mortal.threads.shards(dimensions);
    const query = clustered(shard!);
    const { candidates } = await shard!.search({ query, k: 10 });
    const [work] = mortal.sharedWork;

    await vi.waitFor(
      async () => {
        for (let n = 0; n < 50; n += 1) {
          expect((await shard!.search({ query, k: 10 })).candidates).toEqual(candidates);
        }
        expect(work!.wakes).toBeGreaterThan(100);
      },
      { timeout: 100_000, interval: 50 },
    );
    // A thread waits until its helper has ended.
    await mortal.kill();

    expect(mortal.lost).toHaveLength(2);
  });

  test('a thread makes them also while searches never stop', async () => {
    await using mortal = new TestThreads();
    const [shard] = mortal.threads.shards(dimensions);
    const query = clustered(shard!);
    let bytes = matrixBytes;
    const search = async () => {
      while (bytes > matrixBytes / 2) bytes = (await shard!.search({ query, k: 10 })).bytes;
    };

    // The thread answers 8 together, so most always wait.
    await Promise.all(Array.from({ length: 64 }, search));

    expect(bytes).toBeLessThan(matrixBytes / 2);
  });

  test('a small organization does not wait for those of a large one', async () => {
    await using mortal = new TestThreads();
    const times = 8;
    const large = mortal.threads.shards(dimensions)[0]!;
    // Matrices begin with different threads.
    const small = mortal.threads.shards(dimensions)[1]!;
    const query = clustered(large, times);
    clustered(small);
    let [largeBytes, smallBytes] = [0, matrixBytes];

    while (smallBytes > matrixBytes / 2) {
      const asked = Array.from({ length: times }, () => small.search({ query, k: 10 }));
      largeBytes = (await large.search({ query, k: 10 })).bytes;
      smallBytes = (await Promise.all(asked)).at(-1)!.bytes;
    }

    expect(largeBytes).toBeGreaterThan((times * matrixBytes) / 2);
  });
});

test('closing ends the threads, rejects waiting searches, and reports no lost thread', async () => {
  const { threads, lost } = new TestThreads();
  const [shard] = threads.shards(2);
  const failing = expect(shard!.search({ query: VECTOR, k: 1 })).rejects.toThrow(LostThreadError);

  await threads[Symbol.asyncDispose]();

  await failing;
  expect(threads.shards(2)).toEqual([]);
  expect(lost).toEqual([]);
});

test('a lost thread is replaced for later matrices', async () => {
  await using mortal = new TestThreads();
  const [before] = mortal.threads.shards(2);

  await mortal.kill();
  const after = mortal.threads.shards(2);

  await expect(before!.search({ query: VECTOR, k: 1 })).rejects.toThrow(LostThreadError);
  expect(await Promise.all(after.map((shard) => shard.search({ query: VECTOR, k: 1 })))).toEqual([NOTHING, NOTHING]);
  expect(mortal.lost).toHaveLength(2);
});
