import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { termsOf } from '../../../domain/retrieval/keyword-terms.js';
import { anOrganization, softDelete, store } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { openSqliteStore } from '../store.js';

const WORDS = ['aspen', 'birch', 'cedar', 'daisy', 'elder', 'fennel', 'ginger', 'hazel', 'iris', 'jasmin'];

describe('matching', () => {
  test('ranks by BM25, although it reads only the lengths of the best', async () => {
    const tested = await open();
    const organizationId = await anOrganization(tested);
    // The first words are frequent and the last are rare, as in a language.
    const word = fc.nat(999).map((n) => WORDS[Math.floor(WORDS.length * (n / 1_000) ** 3)] ?? '');
    const contents = fc.sample(fc.array(word, { minLength: 1, maxLength: 30 }), { numRuns: 800, seed: 7 });
    const memories = await store(
      tested,
      organizationId,
      ...contents.map((words, n) => ({ content: `${words.join(' ')} n${n}` })),
    );
    const documents = new Map(memories.map(({ id, content }) => [id, termsOf(content)]));

    const queries = fc.sample(
      fc.uniqueArray(fc.constantFrom(...WORDS, 'n7', 'unknown'), { minLength: 1, maxLength: 6 }),
      {
        numRuns: 60,
        seed: 8,
      },
    );
    for (const words of queries) {
      const expected = bm25(documents, words).slice(0, 10);
      const query = { filter: NO_FILTER, includeDeleted: false, text: words.join(' '), limit: 10 };
      const { matches: found } = await tested.memories.matching(organizationId, query);
      expect(found.map(({ relevance }) => relevance.toFixed(9))).toEqual(
        expected.map(({ relevance }) => relevance.toFixed(9)),
      );
      for (const { memory, relevance } of found) {
        expect(relevance).toBeCloseTo(bm25(new Map(documents), words).find(({ id }) => id === memory.id)!.relevance, 9);
      }
    }
  });

  test('ranks as many as wanted, although better ones were deleted', async () => {
    const tested = await open();
    const organizationId = await anOrganization(tested);
    const contents = Array.from({ length: 300 }, (_, n) => ({
      content: `aspen birch${' elder'.repeat(n % 100)} n${n}`,
    }));
    const memories = await store(tested, organizationId, ...contents);
    const documents = new Map(memories.map(({ id, content }) => [id, termsOf(content)]));
    const ranked = bm25(documents, ['aspen', 'birch', 'n7']);
    const byId = new Map(memories.map((memory) => [memory.id, memory]));
    const gone = new Set(ranked.slice(0, 200).map(({ id }) => id));
    for (const id of gone) await softDelete(tested, byId.get(id)!);

    const query = { filter: NO_FILTER, text: 'aspen birch n7', limit: 50 };
    const active = await tested.memories.matching(organizationId, { ...query, includeDeleted: false });
    const all = await tested.memories.matching(organizationId, { ...query, includeDeleted: true });

    const relevances = (found: readonly { relevance: number }[]) => found.map(({ relevance }) => relevance.toFixed(9));
    expect(relevances(active.matches)).toEqual(relevances(ranked.slice(200, 250)));
    expect(active.matches.filter(({ memory }) => gone.has(memory.id))).toEqual([]);
    expect(relevances(all.matches)).toEqual(relevances(ranked.slice(0, 50)));
  });

  test('searches for the 64 rarest words of a query, both in the index and in the backlog', async () => {
    const tested = await open();
    const organizationId = await anOrganization(tested);
    // Word n is in contents 0 to n, so the first words are the rarest. The last contents are in the backlog.
    const names = Array.from({ length: 70 }, (_, n) => `word${n}`);
    const contents = names.map((_, n) => ({ content: names.slice(n).join(' ') }));
    const indexed = await store(tested, organizationId, ...contents.slice(0, 64));
    const memories = [...indexed, ...(await store(tested, organizationId, ...contents.slice(64)))];
    const matching = async (words: readonly string[]) => {
      const text = ['unknown', ...words].join(' ');
      const query = { filter: NO_FILTER, includeDeleted: false, text, limit: 100 };
      return (await tested.memories.matching(organizationId, query)).matches;
    };

    const longest = await matching(names.slice(0, 64));
    const found = await matching(names.toReversed());

    expect(longest.map(({ memory }) => memory.id).sort()).toEqual(
      memories
        .slice(0, 64)
        .map(({ id }) => id)
        .sort(),
    );
    expect(found.map(({ memory }) => memory.id)).toEqual(longest.map(({ memory }) => memory.id));
    for (const [at, { relevance }] of found.entries()) expect(relevance).toBeCloseTo(longest[at]!.relevance, 9);
  });
});

function bm25(documents: ReadonlyMap<string, readonly string[]>, query: readonly string[]) {
  const lengths = [...documents.values()].map(({ length }) => length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const rarity = (term: string) => {
    const having = [...documents.values()].filter((words) => words.includes(term)).length;
    return Math.log(1 + (documents.size - having + 0.5) / (having + 0.5));
  };
  const rarities = new Map(query.flatMap(termsOf).map((term) => [term, rarity(term)]));
  return Array.from(documents, ([id, words]) => {
    let relevance = 0;
    for (const [term, weight] of rarities) {
      const times = words.filter((word) => word === term).length;
      relevance += (weight * times * 2.2) / (times + 1.2 * (0.6 + (0.4 * words.length) / average));
    }
    return { id, relevance };
  })
    .filter(({ relevance }) => relevance > 0)
    .sort((a, b) => b.relevance - a.relevance);
}

async function open() {
  const dataDir = quickFolder();
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}
