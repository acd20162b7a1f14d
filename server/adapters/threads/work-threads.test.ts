import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LostWorkError } from '../../ports/lost-work-error.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { WorkThreads } from './work-threads.js';

test('orders go to free threads first, and each gets its own answer', async () => {
  const threads = open(2, ANSWERS);

  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((order) => threads.ask(order)));

  expect(answers.map(({ order }) => order)).toEqual(['a', 'b', 'c', 'd']);
  expect(new Set(answers.slice(0, 2).map(({ thread }) => thread)).size).toBe(2);
  expect(new Set(answers.map(({ thread }) => thread)).size).toBe(2);
});

test('a free thread is used again before another one starts', async () => {
  const threads = open(2, ANSWERS);

  const [first, second] = [await threads.ask('a'), await threads.ask('b')];

  expect(second.thread).toBe(first.thread);
});

test('a failed order rejects with the thrown error, and the next one is answered', async () => {
  const threads = open(1, ANSWERS);

  await expect(threads.ask('fail')).rejects.toThrow('on purpose');

  expect((await threads.ask('a')).order).toBe('a');
});

test('the orders of a thread that crashes reject, and the next order starts a new thread', async () => {
  const threads = open(1, ANSWERS);

  const asked = await Promise.allSettled([threads.ask('exit'), threads.ask('a')]);

  expect(asked.map((each) => each.status === 'rejected' && each.reason instanceof LostWorkError)).toEqual([true, true]);
  expect((await threads.ask('b')).order).toBe('b');
});

const ANSWERS = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ order }) => {
    if (order === 'exit') process.exit();
    else if (order === 'fail') parentPort.postMessage({ error: new Error('on purpose') });
    else parentPort.postMessage({ value: { order, thread: threadId } });
  });
`;

function open(count: number, program: string) {
  const module = join(quickFolder(), 'program.mjs');
  writeFileSync(module, program);
  const threads = new WorkThreads<string, { order: string; thread: number }>(module, count);
  onTestFinished(() => threads[Symbol.asyncDispose]());
  return threads;
}
