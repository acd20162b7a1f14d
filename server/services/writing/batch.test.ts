import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { PayloadTooLargeError, UnprocessableError } from '../../errors.js';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import type { TextRow } from '../../ports/text-work.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { ChunkEmbedder } from '../../testing/fixtures/chunk-embedder.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { search } from '../reading/search.js';
import { type BatchItem, type BatchResult, ingestBatch } from './batch.js';
import type { MemoryInput } from './draft.js';
import { ingest } from './ingest.js';

const items = (...inputs: MemoryInput[]): BatchItem[] => inputs.map((input) => ({ input }));

function outcomes(results: readonly BatchResult[]): string[] {
  return results.map((result) =>
    'written' in result ? result.written.outcome : `${result.index}: ${result.error.code}`,
  );
}

describe('ingestBatch', () => {
  test('upserts items with a key and ingests the rest, and detects duplicates inside the batch', async () => {
    const { deps, caller } = await testWorld();

    const results = await ingestBatch(
      deps,
      caller,
      items({ content: 'a' }, { content: 'a' }, { content: 'b', externalKey: 'k' }, { content: 'c', externalKey: 'k' }),
      true,
    );

    expect(outcomes(results)).toEqual(['created', 'deduplicated', 'created', 'updated']);
  });

  test('stores equal items that are two chunks as two memories, keyed or not', async () => {
    const { deps, caller } = await testWorld();
    const item = (chunkIndex: number, externalKey?: string): MemoryInput => ({
      content: 'same',
      externalKey,
      metadata: { documentId: externalKey ?? 'd', chunkIndex, chunkTotal: 2 },
    });
    const batch = items(item(0), item(1), item(0), item(0, 'k'), item(1, 'k'));

    const first = await ingestBatch(deps, caller, batch, true);
    const again = await ingestBatch(deps, caller, batch, true);

    expect(outcomes(first)).toEqual(['created', 'created', 'deduplicated', 'created', 'deduplicated']);
    expect(outcomes(again)).toEqual(Array.from({ length: 5 }, () => 'deduplicated'));
    expect(deps.embedder.embedded).toEqual(['same']);
  });

  test('neither reads nor embeds the contents of exact replays', async () => {
    const embedder = new ChunkEmbedder();
    const world = await testWorld({ embedder });
    const read: string[] = [];
    const row = (tenant: string | undefined): TextRow => {
      const own = world.deps.texts.row(tenant);
      return {
        normalize: (content, max) => own.normalize(content, max),
        scan: (texts) => own.scan(texts),
        embed: (text, purpose, model) => own.embed(text, purpose, model),
        read: (content) => {
          read.push(content);
          return own.read(content);
        },
      };
    };
    const deps = { ...world.deps, texts: { row } };
    const batch = items({ content: 'a' }, { content: 'b' }, { content: 'a' });

    await ingestBatch(deps, world.caller, batch, true);
    expect(outcomes(await ingestBatch(deps, world.caller, [...batch, ...items({ content: 'c' })], true))).toEqual([
      ...Array.from({ length: 3 }, () => 'deduplicated'),
      'created',
    ]);

    expect(read).toEqual(['a', 'b', 'c']);
    expect(embedder.documents).toEqual([['a'], ['b'], ['c']]);
  });

  test('embeds the chunks of a document with regard to each other, if the model can', async () => {
    const embedder = new ChunkEmbedder();
    const { deps, caller } = await testWorld({ embedder });
    const chunk = (content: string, chunkIndex: number): MemoryInput => ({
      content,
      metadata: { documentId: 'd', chunkIndex, chunkTotal: 3 },
    });
    const batch = items(chunk('aaa', 0), chunk('bbb', 1), chunk('ccc', 2), { content: 'eee' });

    expect(outcomes(await ingestBatch(deps, caller, batch, true))).toEqual(Array.from({ length: 4 }, () => 'created'));
    const near = { ...PLAIN_SEARCH, limit: 1, query: 'aaa bbb ccc' };
    expect((await search(deps, caller, near)).matches[0]?.similarity).toBeCloseTo(1, 5);

    // A document with one new chunk has the stored chunks as its context.
    expect(outcomes(await ingestBatch(deps, caller, items(chunk('aaa', 0), chunk('ddd', 1)), true))).toEqual([
      'deduplicated',
      'created',
    ]);
    await ingest(deps, caller, chunk('fff', 2));

    expect(embedder.documents).toEqual([['aaa', 'bbb', 'ccc'], ['eee'], ['aaa', 'ddd'], ['fff']]);
  });

  test('merges an item into an earlier one with the same meaning', async () => {
    const { deps, caller } = await testWorld();
    const near = items({ content: 'The deploy runs on Fridays' }, { content: 'The deploys run on Fridays.' });

    expect(outcomes(await ingestBatch(deps, caller, near, true))).toEqual(['created', 'merged_metadata']);
  });

  test('rejects an invalid item alone', async () => {
    const { deps, caller } = await testWorld();
    const batch = [
      ...items({ content: 'a' }, { content: ' ' }),
      { refused: new UnprocessableError('no content') },
      ...items({ content: 'b' }),
    ];

    const results = await ingestBatch(deps, caller, batch, true);

    expect(outcomes(results)).toEqual(['created', '1: validation_failed', '2: validation_failed', 'created']);
  });

  test('rejects an item in conflict with a stored memory alone', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'taken' });

    const results = await ingestBatch(
      deps,
      caller,
      items({ content: 'taken', externalKey: 'k' }, { content: 'b' }),
      true,
    );

    expect(outcomes(results)).toEqual(['0: content_conflict', 'created']);
  });

  test.each([
    ['that is invalid', items({ content: 'a' }, { content: '' }, { content: 'b' }), '1: validation_failed'],
    [
      'that conflicts with the item before',
      items({ content: 'a' }, { content: 'a', externalKey: 'k' }, { content: 'b' }),
      '1: content_conflict',
    ],
  ])('without continueOnError stores nothing after an item %s', async (_, batch, failure) => {
    const { deps, caller } = await testWorld();

    const results = await ingestBatch(deps, caller, batch, false);

    expect(outcomes(results)).toEqual(['created', failure]);
    const stored = await deps.store.memories.list(caller.organizationId, {
      filter: NO_FILTER,
      includeDeleted: false,
      order: 'oldest',
      limit: 10,
    });
    expect(stored.map(({ content }) => content)).toEqual(['a']);
  });

  test('embeds each distinct new content once, in one call', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'known' });

    await ingestBatch(deps, caller, items({ content: 'known' }, { content: 'new' }, { content: 'new' }), true);

    expect(deps.embedder.embedded).toEqual(['known', 'new']);
  });

  test('stores nothing while content cannot be embedded, but accepts replays', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'known' });
    deps.embedder.down = true;

    await expect(ingestBatch(deps, caller, items({ content: 'known' }, { content: 'new' }), true)).rejects.toThrow(
      EmbeddingUnavailableError,
    );

    expect(outcomes(await ingestBatch(deps, caller, items({ content: 'known' }), true))).toEqual(['deduplicated']);
  });

  test('rejects more items than the maximum, and names the maximum', async () => {
    const { deps, caller } = await testWorld();
    const many = items(...Array.from({ length: 51 }, (_, n) => ({ content: `${n}` })));

    await expect(ingestBatch(deps, caller, many, true)).rejects.toThrow(PayloadTooLargeError);
  });

  test('counts the accepted items that changed something', async () => {
    const { deps, caller } = await testWorld();

    await ingestBatch(deps, caller, items({ content: 'a' }, { content: 'a' }, { content: '' }, { content: 'b' }), true);

    const period = new Date().toISOString().slice(0, 7);
    expect(await deps.store.usage.read(caller.organizationId, period)).toMatchObject({ ingest: 2 });
  });
});
