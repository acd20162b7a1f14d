import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { ListQuery } from '../../../ports/memory-reader.js';
import { anOrganization, DIMENSIONS, store as storeAll } from '../../../testing/fixtures/memories.js';
import { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { mongoStoreOn, openMongoStore } from '../store.js';
import { vectorIndexNames } from './schema.js';

const databases = new MongoDatabases(DIMENSIONS);
/** More than the database returns at once by default. */
const MANY = 130;
const LIMIT = 120;
const TIMES = new Set(['createdAt', 'updatedAt', 'purgedAt']);

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

test('a later page is bounded by its position beside the bound of the list', async () => {
  const { store, boundsSent } = await openRecorded();
  const organizationId = await anOrganization(store);
  const everything = { filter: NO_FILTER, includeDeleted: true, after: { at: 50, id: 'id' }, limit: 9 };
  const list = (query: Pick<ListQuery, 'order' | 'since' | 'until'>) => () =>
    store.memories.list(organizationId, { ...everything, ...query });

  const sent = {
    oldest: await boundsSent(list({ order: 'oldest', since: 1 })),
    newest: await boundsSent(list({ order: 'newest', until: 90 })),
    changed: await boundsSent(list({ order: 'changed', since: 1 })),
    lastChanged: await boundsSent(list({ order: 'lastChanged', until: 90 })),
  };

  expect(sent).toEqual({
    oldest: [[{ createdAt: { $gte: 1 } }, { createdAt: { $gte: 50 } }]],
    newest: [[{ createdAt: { $lt: 90 } }, { createdAt: { $lte: 50 } }]],
    changed: [
      [{ purgedAt: { $gte: 1 } }, { purgedAt: { $gte: 50 } }],
      [{ updatedAt: { $gte: 1 } }, { updatedAt: { $gte: 50 } }],
    ],
    lastChanged: [[{ updatedAt: { $lt: 90 } }, { updatedAt: { $lte: 50 } }]],
  });
});

/** Opens a store whose queries are recorded. */
async function openRecorded() {
  const uri = await databases.acquire();
  const client = new MongoClient(uri, { monitorCommands: true, ignoreUndefined: true });
  const connection = { client, db: client.db(), [Symbol.asyncDispose]: () => client.close() };
  const options = { dimensions: DIMENSIONS, now: () => Date.now() * 1_000, indexLagMs: INDEX_LAG_MS };
  const store = mongoStoreOn(connection, new Set(vectorIndexNames(DIMENSIONS)), options);
  onTestFinished(() => store[Symbol.asyncDispose]());
  /** Returns the conditions on times in each query of a read, without the exact one for equal times. */
  const boundsSent = async (read: () => Promise<unknown>): Promise<Document[][]> => {
    const queries: Document[][] = [];
    const record = ({ commandName, command }: CommandStartedEvent) => {
      if (commandName === 'find') queries.push(boundsOf(command.filter.$and));
    };
    client.on('commandStarted', record);
    await read();
    client.off('commandStarted', record);
    return queries;
  };
  return { store, boundsSent };
}

/** Returns the bounds of times among the conditions of a query, each by itself. */
function boundsOf(conditions: readonly Document[]): Document[] {
  return conditions.flatMap((condition) =>
    Object.entries(condition).flatMap(([key, bound]) => (TIMES.has(key) ? [{ [key]: bound }] : [])),
  );
}
