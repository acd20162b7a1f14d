import { describe, expect, test } from 'vitest';
import { chunkAt } from '../../domain/documents/chunk.js';
import { ChunkEmbedder } from '../../testing/fixtures/chunk-embedder.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { embedContents, type PlacedContent } from './embed-contents.js';

function chunk(content: string, index: number, documentId = 'd', subjectKey?: string): PlacedContent {
  return { content, chunk: chunkAt(documentId, index), subjectKey };
}

describe('an embedder without a model for chunks', () => {
  test('embeds each distinct content once, without its context', async () => {
    const embedder = new LetterEmbedder();
    const contents = [chunk('a', 0), { content: 'b' }, chunk('a', 1), chunk('a', 0, 'other')];

    const vectors = await embedContents(embedder, contents, { context: [chunk('c', 2)] });

    expect(embedder.embedded).toEqual(['a', 'b']);
    expect(vectors).toEqual(await embedder.embed(['a', 'b', 'a', 'a']));
  });
});

describe('an embedder with a model for chunks', () => {
  test('gets the chunks of each document in order, and each other content alone', async () => {
    const embedder = new ChunkEmbedder();
    const contents = [chunk('y', 10), { content: 'b' }, chunk('x', 9), chunk('z', 0, 'other'), { content: 'b' }];

    const vectors = await embedContents(embedder, contents);

    expect(embedder.documents).toEqual([['x', 'y'], ['b'], ['z']]);
    expect(vectors).toEqual(await embedder.embed(['x y', 'b', 'x y', 'z', 'b']));
  });

  test('gets the context of the documents, but no other', async () => {
    const embedder = new ChunkEmbedder();
    const context = [chunk('w', 0), chunk('x', 1), chunk('y', 2), chunk('z', 0, 'other'), { content: 'b' }];

    const vectors = await embedContents(embedder, [chunk('x', 1)], { context });

    expect(embedder.documents).toEqual([['w', 'x', 'y']]);
    expect(vectors).toEqual(await embedder.embed(['w x y']));
  });

  test('does not mix documents of two subjects', async () => {
    const embedder = new ChunkEmbedder();
    const contents = [chunk('x', 0, 'd', 'anna'), chunk('y', 1, 'd', 'ben'), chunk('z', 2)];

    await embedContents(embedder, contents, { context: contents });

    expect(embedder.documents).toEqual([['x'], ['y'], ['z']]);
  });

  test('gets equal contents of two chunks twice, as their context may differ', async () => {
    const embedder = new ChunkEmbedder();
    const contents = [chunk('same', 0, 'one'), chunk('x', 1, 'one'), chunk('same', 0, 'two'), chunk('y', 1, 'two')];

    const vectors = await embedContents(embedder, contents);

    expect(embedder.documents).toEqual([
      ['same', 'x'],
      ['same', 'y'],
    ]);
    expect(vectors[0]).not.toEqual(vectors[2]);
  });
});
