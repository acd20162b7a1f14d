import { v7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { anOrganization, DIMENSIONS, store as storeAll } from '../../../testing/fixtures/memories.js';
import { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from '../store.js';

const databases = new MongoDatabases(DIMENSIONS);
/** More than the database returns at once by default. */
const MANY = 130;
const LIMIT = 120;

test('a page of more than 101 entries comes in one batch', async () => {
  const uri = await databases.acquire();
  await using proxy = await FaultProxy.start(uri);
  const now = () => Date.now() * 1_000;
  const options = { uri: proxy.through(uri), dimensions: DIMENSIONS, now, indexLagMs: INDEX_LAG_MS };
  const store = await openMongoStore(options);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const organizationId = await anOrganization(store, {
    embeddingFingerprint: 'earlier',
    pendingFingerprint: 'pending',
  });
  const chunkOf = (chunkIndex: number) => ({ documentId: 'd', chunkIndex, chunkTotal: MANY });
  const given = Array.from({ length: MANY }, (_, n) => ({ content: `content ${n}`, metadata: chunkOf(n) }));
  const memories = await storeAll(store, organizationId, ...given);
  await store.transact(organizationId, async (unit) => {
    const event = {
      occurredAt: 1,
      action: 'memory.ingest',
      actor: { type: 'token', id: v7() },
      source: 'rest',
    } as const;
    for (const memory of memories) await unit.recordAudit({ ...event, id: v7(), memoryId: memory.id, metadata: {} });
  });
  const everything = { filter: NO_FILTER, includeDeleted: true, order: 'changed' } as const;
  const ids = memories.map(({ id }) => id);

  proxy.script();
  const lengths = [
    (await store.memories.list(organizationId, { ...everything, limit: LIMIT })).length,
    (await store.memories.findMatching(organizationId, NO_FILTER, LIMIT)).ids.length,
    (await store.memories.findUnembedded(organizationId, LIMIT)).memories.length,
    (await store.documents.chunks(organizationId, { limit: LIMIT })).length,
    (await store.documents.contents(organizationId, ids)).size,
    (await store.audit.list(organizationId, { limit: LIMIT })).length,
  ];
  const seen = [...proxy.seen];

  expect(lengths).toEqual([LIMIT, LIMIT, LIMIT, LIMIT, MANY, LIMIT]);
  expect(seen.filter((name) => name === 'getMore')).toEqual([]);
});
