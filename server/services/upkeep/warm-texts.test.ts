import { expect, onTestFinished, test } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import type { TextOrder } from '../../adapters/text-work/do-text-work.js';
import type { TextAnswer } from '../../adapters/text-work/text-answer.js';
import { TextTurns } from '../../adapters/text-work/text-turns.js';
import { WorkThreads } from '../../adapters/threads/work-threads.js';
import { workerFile } from '../../adapters/threads/worker-file.js';
import { warmTexts } from './warm-texts.js';

test('runs each kind of work in the thread, on each sample', async () => {
  const threads = new WorkThreads<TextOrder, TextAnswer>(workerFile('text-work/text-worker'), 1);
  onTestFinished(() => threads[Symbol.asyncDispose]());
  const orders: TextOrder[] = [];

  await warm((order) => threads.ask(order), orders, new AbortController().signal);

  const kinds = orders.map(({ kind }) => kind);
  expect(kinds).toEqual(Array.from({ length: orders.length / 3 }, () => ['read', 'scan', 'embed']).flat());
  const samples = orders.flatMap((order) => (order.kind === 'embed' ? [order.text] : []));
  expect(samples.some((sample) => /^[ -~]*$/.test(sample))).toBe(true);
  expect(samples.some((sample) => /\p{Script=Hangul}/u.test(sample))).toBe(true);
  expect(new Set(samples).size).toBe(samples.length);
});

test('ends before the next sample when the service stops', async () => {
  const orders: TextOrder[] = [];
  const stopping = new AbortController();
  const ask = (): Promise<TextAnswer> => {
    stopping.abort();
    return Promise.resolve({ result: [], terms: undefined });
  };

  await warm(ask, orders, stopping.signal);

  expect(orders.map(({ kind }) => kind)).toEqual(['read', 'scan', 'embed']);
});

function warm(
  ask: (order: TextOrder) => Promise<TextAnswer>,
  orders: TextOrder[],
  stopping: AbortSignal,
): Promise<void> {
  const texts = new TextTurns({
    ask: (order) => {
      orders.push(order);
      return ask(order);
    },
  });
  const embedder = new LocalEmbedder({ dimensions: 64 }, texts);
  return warmTexts({ texts, contentScan: (some, row) => row.scan(some) }, embedder, stopping);
}
