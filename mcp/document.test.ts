import type { ExportedMemory } from '@memory-service/sdk';
import { describe, expect, test } from 'vitest';
import { joinChunks } from './document.js';

/** A chunk, changed at the given second. */
function chunk(chunkIndex: number, chunkTotal: number, content: string, second = 0): ExportedMemory {
  const time = `2026-03-02T09:15:${String(second).padStart(2, '0')}.000000Z`;
  const metadata = { documentId: 'd', chunkIndex, chunkTotal };
  return { id: `id of ${content}`, content, metadata, createdAt: time, updatedAt: time };
}

describe('the chunks of a document', () => {
  test('are joined in their order, nothing put between them', () => {
    const document = joinChunks([chunk(1, 2, 'b'), chunk(0, 2, 'a')], 0, 100);

    expect(document).toEqual({ text: 'ab', chunkTotal: 2, missing: [], memoryIds: ['id of a', 'id of b'] });
  });

  test('that say one place twice give it the one that changed last', () => {
    const document = joinChunks([chunk(0, 1, 'new', 9), chunk(0, 1, 'old', 1)], 0, 100);

    expect(document?.text).toBe('new');
  });

  test('of a longer version before the last are left out', () => {
    const document = joinChunks([chunk(0, 1, 'all', 9), chunk(1, 3, 'old', 1), chunk(2, 3, 'older', 0)], 0, 100);

    expect(document).toMatchObject({ text: 'all', chunkTotal: 1, memoryIds: ['id of all'] });
  });

  test('that are missing at the beginning, in between and at the end are named where they belong', () => {
    const document = joinChunks([chunk(1, 6, 'b'), chunk(4, 6, 'e')], 0, 100);

    expect(document?.missing).toEqual([0, 2, 3, 5]);
    expect(document?.text).toMatch(
      /^\n\[chunk 0 is missing.*\]\nb\n\[chunks 2 to 3 are missing.*\]\ne\n\[chunk 5 is .*\]\n$/,
    );
  });

  test('are as many as claimed: a claim of very many costs nothing', () => {
    const document = joinChunks([chunk(0, Number.MAX_SAFE_INTEGER, 'a')], 0, 100);

    expect(document?.missing).toHaveLength(1_000);
    expect(document?.text).toContain('[chunks 1 to 9007199254740990 are missing');
  });

  test('come in parts where together they are too long, each part going on where the one before ended', () => {
    const chunks = Array.from({ length: 10 }, (_, index) => chunk(index, 10, `<${index}>`.repeat(10)));

    let text = '';
    let parts = 0;
    for (let from: number | undefined = 0; from !== undefined; parts += 1) {
      const part = joinChunks(chunks, from, 95);
      text += part?.text;
      from = part?.nextChunk;
    }

    expect(text).toBe(chunks.map(({ content }) => content).join(''));
    expect(parts).toBe(4);
  });

  test('are never cut: one that is too long alone is a part of its own', () => {
    expect(joinChunks([chunk(0, 2, 'long'.repeat(50)), chunk(1, 2, 'b')], 0, 100)).toMatchObject({
      text: 'long'.repeat(50),
      nextChunk: 1,
    });
  });

  test('are none where no memory says which chunk it is', () => {
    const { metadata: _, ...memory } = chunk(0, 1, 'a');

    expect(joinChunks([], 0, 100)).toBeUndefined();
    expect(joinChunks([{ ...memory, metadata: { documentId: 'd' } }], 0, 100)).toBeUndefined();
  });
});
