import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { MemoryReader } from '../../../ports/memory-reader.js';
import { anOrganization, NORTH, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

type Read = (memories: MemoryReader, organizationId: string, signal?: AbortSignal) => Promise<unknown>;

const SCOPE = { filter: NO_FILTER, includeDeleted: false };
const GONE = new Error('the caller left');

const READS: readonly (readonly [string, Read])[] = [
  ['list', (memories, org, signal) => memories.list(org, { ...SCOPE, order: 'oldest', limit: 9 }, signal)],
  [
    'listLines',
    async (memories, org, signal) => {
      const query = { ...SCOPE, order: 'oldest', limit: 99, maxBytes: 999 } as const;
      if (!memories.listLines) return memories.list(org, query, signal);
      const { lines, release, ...page } = await memories.listLines(org, query, signal);
      const text = Buffer.from(lines).toString();
      release?.();
      return { ...page, text };
    },
  ],
  ['stats', (memories, org, signal) => memories.stats(org, { ...SCOPE, facets: [], valuesPerFacet: 1 }, signal)],
  ['nearest', (memories, org, signal) => memories.nearest(org, { ...SCOPE, vector: NORTH, limit: 9 }, signal)],
  ['matching', (memories, org, signal) => memories.matching(org, { ...SCOPE, text: 'alpha', limit: 9 }, signal)],
];

/** Tests reads whose caller disconnects. */
export function abandonedSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: an abandoned read`, () => {
    test.each(READS)('does nothing if abandoned before it began: %s', async (_, read) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'alpha' });

      await expect(read(tested.memories, organizationId, AbortSignal.abort(GONE))).rejects.toBe(GONE);
    });

    test.each(READS)('rejects with the reason and leaves other reads running: %s', async (_, read) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'alpha' });
      const expected = await read(tested.memories, organizationId);
      const caller = new AbortController();

      const abandoned = Array.from({ length: 5 }, () => read(tested.memories, organizationId, caller.signal));
      const others = Array.from({ length: 5 }, () =>
        read(tested.memories, organizationId, new AbortController().signal),
      );
      caller.abort(GONE);

      for (const ended of await Promise.allSettled(abandoned)) {
        expect(ended).toEqual({ status: 'rejected', reason: GONE });
      }
      for (const found of await Promise.all(others)) expect(found).toEqual(expected);
    });
  });
}
