import { expect, onTestFinished, test } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import type { TextOrder } from '../../adapters/text-work/do-text-work.js';
import type { TextAnswer } from '../../adapters/text-work/text-answer.js';
import { TextTurns } from '../../adapters/text-work/text-turns.js';
import { WorkThreads } from '../../adapters/threads/work-threads.js';
import { workerFile } from '../../adapters/threads/worker-file.js';
import { warmTexts } from './warm-texts.js';

test('runs each kind of work in the thread', async () => {
  const threads = new WorkThreads<TextOrder, TextAnswer>(workerFile('text-work/text-worker'), 1);
  onTestFinished(() => threads[Symbol.asyncDispose]());
  const kinds: TextOrder['kind'][] = [];
  const texts = new TextTurns({
    ask: (order) => {
      kinds.push(order.kind);
      return threads.ask(order);
    },
  });
  const embedder = new LocalEmbedder({ dimensions: 64 }, texts);

  await warmTexts({ texts, contentScan: (some, row) => row.scan(some) }, embedder);

  expect(kinds).toEqual(['read', 'scan', 'embed']);
});
