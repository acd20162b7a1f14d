import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { Metadata } from '../../../domain/memory/memory.js';
import { CONTEXT_CANDIDATES } from '../../../domain/retrieval/context.js';
import type { KeywordQuery } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, change, type Given, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests that keyword search finds chunks also by the words of their neighbours. */
export function chunkContextSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: keyword search in chunks`, () => {
    test('finds the two chunks before and the two after, the nearer ones first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const contents = ['first', 'second', 'third', 'harbour', 'fifth', 'sixth', 'seventh'];
      await store(tested, organizationId, ...contents.map((content, index) => chunkOf('d', index, content)));

      const found = await contentsOf(tested, organizationId, 'harbour');

      expect(found).toHaveLength(5);
      expect(found[0]).toBe('harbour');
      expect(new Set(found.slice(1, 3))).toEqual(new Set(['third', 'fifth']));
      expect(new Set(found.slice(3))).toEqual(new Set(['second', 'sixth']));
    });

    test('ranks a chunk higher if its neighbours have other words of the query', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(
        tested,
        organizationId,
        { content: 'harbour one' },
        chunkOf('d', 0, 'lighthouse'),
        chunkOf('d', 1, 'harbour two'),
      );

      const found = await contentsOf(tested, organizationId, 'lighthouse harbour');

      expect(found).toEqual(['lighthouse', 'harbour two', 'harbour one']);
    });

    test.each<[string, Given]>([
      ['another document', chunkOf('other', 1, 'second')],
      ['another subject', { ...chunkOf('d', 1, 'second'), subjectKey: 'anna' }],
      ['a distant chunk', chunkOf('d', 3, 'second')],
      ['a memory that is not a chunk', { content: 'second' }],
      ['half of a chunk', { content: 'second', metadata: { documentId: 'd', chunkIndex: 1 } }],
    ])('finds by its own words only %s', async (_, given) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, chunkOf('d', 0, 'harbour'), given);

      expect(await contentsOf(tested, organizationId, 'harbour')).toEqual(['harbour']);
    });

    test('applies the filter to the memories that it returns, and not to their neighbours', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(
        tested,
        organizationId,
        chunkOf('d', 0, 'where is the harbour', { speaker: 'bob' }),
        chunkOf('d', 1, 'in the north', { speaker: 'anna' }),
      );

      const filter = { metadata: [{ key: 'speaker', anyOf: ['anna'] }] };

      expect(await contentsOf(tested, organizationId, 'harbour', { filter })).toEqual(['in the north']);
    });

    test('follows deletion, restoration, and changes of content and chunk', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [first] = await store(tested, organizationId, chunkOf('d', 0, 'harbour'), chunkOf('d', 1, 'second'));
      const found = () => contentsOf(tested, organizationId, 'harbour');

      const deleted = await softDelete(tested, first!);
      expect(await found()).toEqual([]);
      expect(await contentsOf(tested, organizationId, 'harbour', { includeDeleted: true })).toEqual(['harbour']);
      const restored = await change(tested, deleted, { deletedAt: undefined } as object);
      expect(await found()).toEqual(['harbour', 'second']);
      const moved = await change(tested, restored, chunkOf('e', 0, 'harbour'));
      expect(await found()).toEqual(['harbour']);
      await change(tested, moved, chunkOf('d', 0, 'other'), NORTH);
      expect(await found()).toEqual([]);
    });

    test('takes the memory created last if several have the same place', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(
        tested,
        organizationId,
        chunkOf('d', 0, 'harbour'),
        chunkOf('d', 0, 'lighthouse'),
        chunkOf('d', 1, 'second'),
      );

      expect(await contentsOf(tested, organizationId, 'harbour')).toEqual(['harbour']);
      expect(await contentsOf(tested, organizationId, 'lighthouse')).toEqual(['lighthouse', 'second']);
    });

    test('returns the limit also if it is above the number of candidates', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const limit = CONTEXT_CANDIDATES + 10;
      const alone = Array.from({ length: limit }, (_, n) => ({ content: `harbour ${n}` }));
      await store(tested, organizationId, chunkOf('d', 0, 'chunk'), ...alone);

      const found = await contentsOf(tested, organizationId, 'harbour', { limit });

      expect(new Set(found)).toEqual(new Set(alone.map(({ content }) => content)));
    });
  });
}

function chunkOf(documentId: string, chunkIndex: number, content: string, metadata: Metadata = {}) {
  return { content, metadata: { ...metadata, documentId, chunkIndex, chunkTotal: 9 } };
}

async function contentsOf(
  tested: Store,
  organizationId: string,
  text: string,
  query: Partial<KeywordQuery> = {},
): Promise<string[]> {
  const all = { filter: NO_FILTER, includeDeleted: false, limit: 50 };
  const { matches } = await tested.memories.matching(organizationId, { ...all, text, ...query });
  return matches.map(({ memory }) => memory.content);
}
