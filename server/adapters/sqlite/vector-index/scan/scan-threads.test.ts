import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TestThreads } from '../../../../testing/embedded/test-threads.js';
import { builtModule } from '../../../../testing/processes/server-process.js';
import { LostThreadError } from './scan-thread.js';

const VECTOR = { codes: new Int8Array([1, 2]), step: 1 };

test('a thread keeps the process alive only while a search waits for it', async () => {
  const program = `
    const { ScanThreads } = await import(${JSON.stringify(builtModule('adapters/sqlite/vector-index/scan/scan-threads.js'))});
    const [shard] = new ScanThreads({ count: 1 }).shards(2);
    const vector = { codes: new Int8Array([1, 2]), step: 1 };
    shard.add({ seq: 7, createdAt: 1 }, vector);
    const [found] = await shard.search(vector, 1);
    console.log(found.seq);`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);

  expect(stdout).toBe('7\n');
});

test('closing ends the threads, rejects waiting searches, and reports no lost thread', async () => {
  const { threads, lost } = new TestThreads();
  const [shard] = threads.shards(2);
  const failing = expect(shard!.search(VECTOR, 1)).rejects.toThrow(LostThreadError);

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

  await expect(before!.search(VECTOR, 1)).rejects.toThrow(LostThreadError);
  expect(await Promise.all(after.map((shard) => shard.search(VECTOR, 1)))).toEqual([[], []]);
  expect(mortal.lost).toHaveLength(2);
});
