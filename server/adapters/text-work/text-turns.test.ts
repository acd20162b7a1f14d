import { describe, expect, onTestFinished, test } from 'vitest';
import { scanTexts } from '../../domain/content-scan/scan.js';
import { readContent } from '../../domain/retrieval/read-content.js';
import { normalizeContent } from '../../domain/text/content.js';
import { UnprocessableError } from '../../errors.js';
import { hostileTexts } from '../../testing/fixtures/hostile-texts.js';
import { LocalEmbedder } from '../embedding/local/local-embedder.js';
import { WorkThreads } from '../threads/work-threads.js';
import { workerFile } from '../threads/worker-file.js';
import { doTextWork, type TextOrder } from './do-text-work.js';
import { packed, type TextAnswer } from './text-answer.js';
import { TextTurns } from './text-turns.js';

const MAX_CHARACTERS = 100_000;
const MODEL = { name: 'terms-and-meaning-1', dimensions: 64 } as const;

describe('long work', () => {
  test('runs in the thread, with the same result', async () => {
    const threads = new WorkThreads<TextOrder, TextAnswer>(workerFile('text-work/text-worker'), 1);
    onTestFinished(() => threads[Symbol.asyncDispose]());
    const asked: TextOrder['kind'][] = [];
    const turns = new TextTurns({
      ask: (order) => {
        asked.push(order.kind);
        return threads.ask(order);
      },
    });
    const embedder = new LocalEmbedder({ dimensions: MODEL.dimensions });
    const texts = [...hostileTexts(24, MAX_CHARACTERS, 3), 'The deploy runs at 3 pm on Friday. '.repeat(1_000)];

    for (const text of texts) {
      const row = turns.row('a');

      const normalized = await row.normalize(text, MAX_CHARACTERS).catch((error: unknown) => error);

      expect(normalized).toEqual(outcome(() => normalizeContent(text, MAX_CHARACTERS)));
      // Vitest takes a second to compare tens of thousands of words.
      expect(JSON.stringify(await row.read(text))).toBe(JSON.stringify(readContent(text)));
      expect(await row.scan([text])).toEqual(scanTexts([text]));
      expect(await row.embed(text, 'document', MODEL)).toEqual((await embedder.embed([text], 'document'))[0]);
    }
    const kindsOf = (text: string) => [...(text.length > 50_000 ? ['normalize'] : []), 'read', 'scan', 'embed'];
    expect(asked).toEqual(texts.flatMap(kindsOf));
  });

  test('of one tenant runs one piece at a time, and delays another tenant by at most one piece', async () => {
    const order: string[] = [];
    const turns = new TextTurns({
      ask: (text) => {
        order.push(nameOf(text));
        return here(text);
      },
    });
    const batch = (tenant: string, count: number) =>
      Array.from({ length: count }, (_, n) => turns.row(tenant).read(`${tenant}${n} ${'long '.repeat(2_000)}`));

    await Promise.all([...batch('a', 5), ...batch('b', 2)]);

    expect(order).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'a3', 'a4']);
  });

  test('continues after a piece that is rejected', async () => {
    const turns = new TextTurns({ ask: here });
    const long = 'long '.repeat(2_000);

    await expect(turns.row('a').normalize(long.repeat(10), 9)).rejects.toThrow(UnprocessableError);

    expect(await turns.row('a').read(long)).toEqual(readContent(long));
  });
});

describe('short pieces', () => {
  test('run at once until their total length is long', async () => {
    let asked = 0;
    const turns = new TextTurns({
      ask: (order) => {
        asked += 1;
        return here(order);
      },
    });
    const row = turns.row('a');
    const piece = 'x '.repeat(500);

    for (let n = 0; n < 5; n += 1) await row.read(piece);
    expect(asked).toBe(0);

    await row.read(piece);
    expect(asked).toBe(1);
  });
});

/** Does the thread's work in the calling thread. */
function here(order: TextOrder): Promise<TextAnswer> {
  return packed(() => doTextWork(order));
}

function nameOf(order: TextOrder): string {
  return order.kind === 'read' ? (order.content.split(' ', 1)[0] ?? '') : order.kind;
}

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
