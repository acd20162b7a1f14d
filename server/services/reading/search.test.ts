import { describe, expect, test, vi } from 'vitest';
import { UnprocessableError } from '../../errors.js';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import type { KeywordMatches } from '../../ports/memory-reader.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { deleteMemory } from '../removal/delete.js';
import { ingest } from '../writing/ingest.js';
import { type SearchInput, search } from './search.js';

const ask = (query: string, options: Partial<SearchInput> = {}): SearchInput => ({
  ...PLAIN_SEARCH,
  query,
  limit: 10,
  ...options,
});

const matchesOf = async (...asked: Parameters<typeof search>) => (await search(...asked)).matches;

describe('search with rerank', () => {
  /** Returns a world with a reranker that prefers short contents, and the calls of it. */
  async function rerankedWorld() {
    const world = await testWorld();
    const calls: { query: string; texts: readonly string[]; tenant: string | undefined }[] = [];
    world.deps.embedder.rerank = async (query, texts, tenant) => {
      calls.push({ query, texts, tenant });
      return texts.map(({ length }) => 1 / length);
    };
    for (const content of ['abcdabcd', 'abcd', 'ab']) await ingest(world.deps, world.caller, { content });
    return { ...world, calls };
  }

  test.each(['vector', 'keyword', 'hybrid'] as const)('orders the best of mode %s by the reranker', async (mode) => {
    const { deps, caller, calls } = await rerankedWorld();
    await ingest(deps, caller, { content: 'abcd and more' });

    const plain = await matchesOf(deps, caller, ask('abcd', { mode }));
    const found = await matchesOf(deps, caller, ask('abcd', { mode, rerank: true, explain: true }));

    const contents = plain.map(({ memory }) => memory.content);
    expect(calls).toEqual([{ query: 'abcd', texts: contents, tenant: caller.organizationId }]);
    expect(found.map(({ memory }) => memory.content)).toEqual(contents.toSorted((a, b) => a.length - b.length));
    for (const { memory, score, explanation } of found) {
      expect(score).toBe(1 / memory.content.length);
      expect(explanation?.parts).toEqual({ rerank: score });
    }
  });

  test('gives more matches than asked for to the reranker, and returns as many as asked for', async () => {
    const { deps, caller, calls } = await rerankedWorld();

    const found = await matchesOf(deps, caller, ask('abcd', { rerank: true, limit: 1 }));

    expect(calls.map(({ texts }) => texts.length)).toEqual([3]);
    expect(found.map(({ memory }) => memory.content)).toEqual(['ab']);
  });

  test('blends the scores of the reranker with recency', async () => {
    const { deps, caller } = await rerankedWorld();

    const asked = ask('abcd', { rerank: true, recencyWeight: 0.4, explain: true });
    const [best] = await matchesOf(deps, caller, asked);

    const { rerank, recency = 0 } = best?.explanation?.parts ?? {};
    expect(rerank).toBeCloseTo(0.6 / 2);
    expect(best?.score).toBeCloseTo(0.3 + recency);
  });

  test('is rejected without a reranker, and reports a reranker that is down', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'abcd' });

    const without = search(deps, caller, ask('abcd', { rerank: true }));
    await expect(without).rejects.toThrow(UnprocessableError);
    await expect(without).rejects.toMatchObject({ details: [{ path: 'rerank' }] });
    deps.embedder.rerank = () => Promise.reject(new EmbeddingUnavailableError('down', 1));
    await expect(search(deps, caller, ask('abcd', { rerank: true }))).rejects.toThrow(EmbeddingUnavailableError);
  });
});

describe('search', () => {
  test('returns the closest first, with the cosine as score', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'zzzz' });
    await ingest(deps, caller, { content: 'abcd' });

    const [first, second] = await matchesOf(deps, caller, ask('dcba'));

    expect(first).toMatchObject({ memory: { content: 'abcd' }, similarity: expect.closeTo(1, 5) });
    expect(first?.score).toBe(first?.similarity);
    expect(second).toMatchObject({ memory: { content: 'zzzz' }, similarity: expect.closeTo(0, 5) });
  });

  test('applies the filter before it selects the best', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 30; n++) await ingest(deps, caller, { content: `abcd ${'e'.repeat(n + 1)}` });
    await ingest(deps, caller, { content: 'far away zzz', metadata: { kind: 'rare' } });

    const found = await matchesOf(deps, caller, ask('abcd', { limit: 3, filter: { kind: 'rare' } }));

    expect(found.map(({ memory }) => memory.content)).toEqual(['far away zzz']);
  });

  test('omits memories less similar than minScore', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'abcd' });
    await ingest(deps, caller, { content: 'zzzz' });

    const found = await matchesOf(deps, caller, ask('abcd', { minScore: 0.5 }));

    expect(found.map(({ memory }) => memory.content)).toEqual(['abcd']);
  });

  test('prefers newer memories according to recencyWeight', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z') * 1_000;
    const { deps, caller } = await testWorld({ now: () => now });
    await ingest(deps, caller, { content: 'abcd old' });
    now += 90 * 86_400_000_000;
    await ingest(deps, caller, { content: 'abcd xyz new' });

    const bySimilarity = await matchesOf(deps, caller, ask('abcd old'));
    const byAge = await matchesOf(deps, caller, ask('abcd old', { recencyWeight: 0.9, recencyHalflifeDays: 30 }));

    expect(bySimilarity[0]?.memory.content).toBe('abcd old');
    expect(byAge[0]?.memory.content).toBe('abcd xyz new');
    expect(byAge[1]?.score).toBeCloseTo(0.1 * 1 + 0.9 * 0.125, 4);
  });

  test('finds an exact token by keyword, and ranks it first in hybrid mode', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'The job failed with ERR-90210 at night' });
    for (let n = 0; n < 5; n++) await ingest(deps, caller, { content: `jobs at night number ${n}` });

    const byKeyword = await matchesOf(deps, caller, ask('ERR-90210', { mode: 'keyword' }));
    const byBoth = await matchesOf(deps, caller, ask('ERR-90210', { mode: 'hybrid' }));

    expect(byKeyword.map(({ memory }) => memory.content)).toEqual(['The job failed with ERR-90210 at night']);
    expect(byKeyword[0]?.similarity).toBeUndefined();
    expect(byBoth[0]?.memory.content).toBe('The job failed with ERR-90210 at night');
    expect(byBoth.every(({ similarity, score }) => similarity !== undefined && score <= 1)).toBe(true);
  });

  test('adds similarity and word scores in hybrid mode, also for memories found only by words', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 110; n++) await ingest(deps, caller, { content: `zqz${'z'.repeat(n)}` });
    await ingest(deps, caller, { content: 'zq in mmmmmmmmmmmmmmmmmmmmmmmm' });
    const matching = vi.spyOn(deps.store.memories, 'matching');

    const [first, second] = await matchesOf(deps, caller, ask('zq', { mode: 'hybrid' }));
    const [likely] = await matchesOf(deps, caller, ask('zq', { mode: 'hybrid', minScore: 0.01, limit: 1 }));

    expect(first?.memory.content).toBe('zqz');
    expect(first?.score).toBeCloseTo(first!.similarity! / 1.5, 9);
    expect(second?.similarity).toBeLessThan(first!.similarity!);
    expect(likely?.memory.id).toBe(first?.memory.id);
    const found: KeywordMatches | undefined = await matching.mock.results[0]?.value;
    expect(found?.matches).toMatchObject([
      { memory: { content: expect.stringMatching(/^zq in/) }, similarity: expect.any(Number) },
    ]);
  });

  test.each(['keyword', 'hybrid', 'vector'] as const)('reports words that it left out in mode %s', async (mode) => {
    const { deps, caller } = await testWorld();
    const words = Array.from({ length: 65 }, (_, n) => `word${n}`);
    await ingest(deps, caller, { content: words.join(' ') });

    const within = await search(deps, caller, ask(words.slice(1).join(' '), { mode }));
    const beyond = await search(deps, caller, ask(words.join(' '), { mode }));

    expect(within).toMatchObject({ matches: [{}], wordsLeftOut: false });
    expect(beyond).toMatchObject({ matches: [{}], wordsLeftOut: mode !== 'vector' });
  });

  test('still searches by keyword while queries cannot be embedded', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'findable word' });
    deps.embedder.down = true;

    await expect(search(deps, caller, ask('findable'))).rejects.toThrow(EmbeddingUnavailableError);

    expect(await matchesOf(deps, caller, ask('findable', { mode: 'keyword' }))).toHaveLength(1);
  });

  test('returns a deleted memory only if includeDeleted is set', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    await deleteMemory(deps, caller, memory.id);

    for (const mode of ['vector', 'keyword', 'hybrid'] as const) {
      expect(await matchesOf(deps, caller, ask('abcd', { mode }))).toEqual([]);
      expect(await matchesOf(deps, caller, ask('abcd', { mode, includeDeleted: true }))).toHaveLength(1);
    }
  });

  test('finds nothing of another organization', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    await ingest(deps, other, { content: 'abcd' });

    for (const mode of ['vector', 'keyword', 'hybrid'] as const) {
      expect(await matchesOf(deps, caller, ask('abcd', { mode }))).toEqual([]);
    }
  });

  test.each(['vector', 'hybrid'] as const)('passes exact to the store in mode %s', async (mode) => {
    const { deps, caller } = await testWorld();
    const nearest = vi.spyOn(deps.store.memories, 'nearest');

    await search(deps, caller, ask('abcd', { mode, exact: true }));
    await search(deps, caller, ask('abcd', { mode }));

    expect(nearest.mock.calls.map(([, { exact }]) => exact)).toEqual([true, false]);
  });

  test('rejects a blank query, and vector options in keyword mode', async () => {
    const { deps, caller } = await testWorld();

    await expect(search(deps, caller, ask('   '))).rejects.toThrow(UnprocessableError);
    await expect(search(deps, caller, ask('x', { mode: 'keyword', minScore: 0.1 }))).rejects.toThrow(
      UnprocessableError,
    );
    await expect(search(deps, caller, ask('x', { mode: 'keyword', exact: true }))).rejects.toThrow(UnprocessableError);
  });
});
