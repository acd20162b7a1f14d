import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type DocumentName, documentKey, documentOf, isOfDocument } from '../../domain/documents/document.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { aMemory } from '../../testing/fixtures/memories.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { updateSettings } from '../organization/settings.js';
import { ingest } from '../writing/ingest.js';
import { type SearchInput, search } from './search.js';
import { searchGroups } from './search-groups.js';
import type { Prepared, SearchMatch } from './search-modes.js';
import { Relevance } from './search-relevance.js';

const ask = (query: string, options: Partial<SearchInput> = {}): SearchInput => ({
  ...PLAIN_SEARCH,
  query,
  limit: 10,
  groupBy: 'documentId',
  ...options,
});

describe('search grouped by document', () => {
  test.each(['vector', 'keyword', 'hybrid'] as const)(
    'returns the best chunk of each document in mode %s, with the number of others that match',
    async (mode) => {
      const { deps, caller } = await testWorld();
      // More chunks than one part of a search returns, all of them nearer than the rest.
      for (let n = 0; n < 230; n++)
        await ingest(deps, caller, chunk('large', n, 230, `abcd ${'abcd '.repeat(n % 40)}`));
      await ingest(deps, caller, chunk('small', 0, 2, 'abcd xx'));
      await ingest(deps, caller, chunk('small', 1, 2, 'abcd xxyy xxyy'));
      await ingest(deps, caller, { content: 'abcd zz zz zz zz' });
      await ingest(deps, caller, { content: 'abcd zz zz zz zz zz' });
      const before = deps.embedder.embedded.length;

      const { matches } = await search(deps, caller, ask('abcd', { mode, limit: 4 }));
      const { matches: first } = await search(deps, caller, ask('abcd', { mode, limit: 1 }));

      expect(matches.map(({ group }) => group)).toEqual([
        { documentId: 'large', others: 229 },
        { documentId: 'small', others: 1 },
        undefined,
        undefined,
      ]);
      expect(matches[1]?.memory.content).toBe('abcd xx');
      expect(matches.map(({ score }) => score)).toEqual(matches.map(({ score }) => score).sort((a, b) => b - a));
      expect(first).toEqual(matches.slice(0, 1));
      expect(deps.embedder.embedded.length - before).toBe(mode === 'keyword' ? 0 : 2);
    },
  );

  test('keeps documents of other subjects apart, and counts only what the filter matches', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'string' });
    await ingest(deps, caller, chunk('d', 0, 3, 'abcd'));
    await ingest(deps, caller, chunk('d', 1, 3, 'abcd e', { kind: 'note' }));
    await ingest(deps, caller, { ...chunk('d', 0, 3, 'abcd ef'), subjectKey: 'ana' });

    const { matches: all } = await search(deps, caller, ask('abcd'));
    const { matches: notes } = await search(deps, caller, ask('abcd', { filter: { kind: 'note' } }));

    expect(all.map(({ memory, group }) => [memory.subjectKey, group?.others])).toEqual([
      [undefined, 1],
      ['ana', 0],
    ]);
    expect(notes.map(({ group }) => group?.others)).toEqual([0]);
  });

  test('explains matches of every part of the search', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 20; n++) await ingest(deps, caller, chunk('large', n, 20, `abcd ${'abcd '.repeat(n)}`));
    await ingest(deps, caller, { content: 'abcd zz zz zz zz' });
    const matching = vi.spyOn(deps.store.memories, 'matching');

    const { matches } = await search(deps, caller, ask('abcd', { mode: 'keyword', limit: 2, explain: true }));

    expect(matches.map(({ explanation }) => explanation?.keyword?.rank)).toEqual([1, 9]);
    expect(matching).toHaveBeenCalledTimes(2);
  });
});

describe('searchGroups', () => {
  const memories = fc.array(
    fc.record({
      documentId: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
      subjectKey: fc.constantFrom(undefined, 1, '1'),
      score: fc.integer({ min: 0, max: 9 }).map((tenths) => tenths / 10),
    }),
    { maxLength: 60 },
  );

  test('finds what grouping all memories would find, and reads no memory of a document twice', async () => {
    await fc.assert(
      fc.asyncProperty(memories, fc.integer({ min: 1, max: 12 }), async (given, limit) => {
        const all = given.map(({ documentId, subjectKey, score }) => ({
          memory: aMemory({
            metadata: documentId === undefined ? {} : { documentId, chunkIndex: 0, chunkTotal: 1 },
            ...(subjectKey !== undefined && { subjectKey }),
          }),
          score,
        }));
        const seen: SearchMatch[] = [];

        const { matches } = await searchGroups(prepared(limit), async (part) => {
          const found = best(all, part.scope.outside).slice(0, part.limit);
          seen.push(...found.filter(({ memory }) => documentOf(memory)));
          return { matches: found, wordsLeftOut: false, isAll: found.length < part.limit };
        });

        expect(matches.slice(0, limit)).toEqual(grouped(all).slice(0, limit));
        expect(new Set(seen).size).toBe(seen.length);
      }),
    );
  });
});

function chunk(documentId: string, chunkIndex: number, chunkTotal: number, content: string, labels: object = {}) {
  return { content: `${content} `.trim(), metadata: { documentId, chunkIndex, chunkTotal, ...labels } };
}

function prepared(limit: number): Prepared {
  return {
    query: 'x',
    embed: () => Promise.reject(new Error('nothing is embedded')),
    scope: { filter: { metadata: [] }, includeDeleted: false },
    limit,
    recency: { weight: 0, halflifeDays: 1, now: 0 },
    relevance: new Relevance('x', []),
    exact: false,
    explain: false,
    groupBy: 'documentId',
  };
}

function best(all: readonly SearchMatch[], outside: readonly DocumentName[] = []): SearchMatch[] {
  return all
    .filter(({ memory }) => !outside.some((document) => isOfDocument(memory, document)))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1));
}

function grouped(all: readonly SearchMatch[]): SearchMatch[] {
  const groups = new Map<string, SearchMatch>();
  for (const match of best(all)) {
    const document = documentOf(match.memory);
    const key = document ? documentKey(document) : match.memory.id;
    if (!groups.has(key)) groups.set(key, match);
  }
  return [...groups.values()];
}
