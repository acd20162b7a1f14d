import { describe, expect, test } from 'vitest';
import { type TestWorld, testWorld } from '../../testing/app/test-deps.js';
import { capped, subscribe } from '../../testing/fixtures/subscriptions.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { updateSettings } from '../organization/settings.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { upsert } from '../writing/upsert.js';
import { reportUsage } from './usage.js';

const CALLERS = 256;

async function cappedWorld(ingestPerMonth: number): Promise<TestWorld> {
  const world = await testWorld({ billing: capped({ ingestPerMonth }) });
  await subscribe(world.deps, world.caller.organizationId);
  await updateSettings(world.deps, world.caller, { semanticDedupe: false });
  return world;
}

describe('the monthly cap of ingests', () => {
  test('accepts exactly 100 of 256 parallel ingests', async () => {
    const { deps, caller } = await cappedWorld(100);

    const writes = await Promise.allSettled(
      Array.from({ length: CALLERS }, (_, at) => ingest(deps, caller, { content: `memory ${at}` })),
    );

    const codes = writes.map((write) => (write.status === 'rejected' ? write.reason.code : 'accepted'));
    expect(codes.filter((code) => code === 'accepted')).toHaveLength(100);
    expect(codes.filter((code) => code === 'quota_exceeded')).toHaveLength(CALLERS - 100);
    expect((await reportUsage(deps, caller)).ingest).toEqual({ used: 100, cap: 100 });
  });

  test('is exact across parallel ingests, upserts and batches', async () => {
    const { deps, caller } = await cappedWorld(50);
    const kinds = [
      async (at: number) => {
        await ingest(deps, caller, { content: `memory ${at}` });
        return 1;
      },
      async (at: number) => {
        await upsert(deps, caller, { externalKey: `k${at}`, content: `memory ${at}` });
        return 1;
      },
      async (at: number) => {
        const items = ['a', 'b', 'c'].map((part) => ({ input: { content: `memory ${at} ${part}` } }));
        const results = await ingestBatch(deps, caller, items, true);
        return results.filter((result) => 'written' in result).length;
      },
    ];

    const writes = await Promise.allSettled(Array.from({ length: 64 }, (_, at) => kinds[at % kinds.length]?.(at)));

    const accepted = writes.map((write) => (write.status === 'fulfilled' ? (write.value ?? 0) : 0));
    expect(accepted.reduce((sum, count) => sum + count, 0)).toBe(50);
    const scope = { filter: { metadata: [] }, includeDeleted: true };
    const { total } = await deps.store.memories.stats(caller.organizationId, {
      ...scope,
      facets: [],
      valuesPerFacet: 1,
    });
    expect(total).toBe(50);
    expect((await reportUsage(deps, caller)).ingest).toEqual({ used: 50, cap: 50 });
  });

  test('embeds nothing for ingests that it will reject', async () => {
    const { deps, caller } = await cappedWorld(2);
    const items = ['a', 'b', 'c', 'd'].map((content) => ({ input: { content } }));

    await ingestBatch(deps, caller, items, true);
    await expect(ingest(deps, caller, { content: 'e' })).rejects.toMatchObject({ code: 'quota_exceeded' });

    expect(deps.embedder.embedded).toEqual(['a', 'b']);
  });

  test('does not count an item of a batch that merges into an earlier one', async () => {
    const { deps, caller } = await cappedWorld(3);
    const items = ['a', 'A', 'a', 'b', 'c'].map((content) => ({ input: { content } }));

    const results = await ingestBatch(deps, caller, items, true);

    expect(results.map((result) => ('written' in result ? result.written.outcome : result.error.code))).toEqual([
      'created',
      'merged_metadata',
      'deduplicated',
      'created',
      'quota_exceeded',
    ]);
    const events = await deps.store.audit.list(caller.organizationId, { actions: ['memory.batch'], limit: 9 });
    expect(events.map(({ metadata }) => metadata)).toEqual([{ ok: 4, failed: 1 }]);
  });

  test('counts nothing for the first attempt of a batch that lacked a vector', async () => {
    const { deps, caller } = await cappedWorld(2);
    await upsert(deps, caller, { externalKey: 'gone', content: 'z' });
    const items = ['a', 'b'].map((content) => ({ input: { content, externalKey: `k${content}` } }));
    // The first check reports fewer than remain at the time of the write.
    const store = replaceMethods(deps.store, {
      usage: replaceMethods(deps.store.usage, {
        read: async () => ({ ingest: 2, search: 0 }),
      }),
    });

    const roomier = { ...deps, store, billing: capped({ ingestPerMonth: 3 }) };
    const results = await ingestBatch(roomier, caller, items, true);

    expect(results.map((result) => ('written' in result ? result.written.outcome : result.error.code))).toEqual([
      'created',
      'created',
    ]);
  });
});
