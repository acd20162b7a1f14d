import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { NO_SCOPE } from '../../../domain/memory/memory.js';
import { anOrganization, DIMENSIONS, indexedBy, insertInto, NORTH } from '../../../testing/fixtures/memories.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { mongoStoreOn } from '../store.js';
import { vectorIndexNames } from './schema.js';

const databases = new MongoDatabases(DIMENSIONS);
const KINDS = new Set(['find', 'aggregate', 'findAndModify', 'bulkWrite']);
const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };

test('every command of a unit of work ends after 10 s, and of a long read after 25 s', async () => {
  const { store, limitsOf, organizationId } = await open();
  const written = { ...indexedBy({ content: 'one' }), scope: NO_SCOPE };

  const ofUnits = await limitsOf(async () => {
    await store.transact(organizationId, async (unit) => {
      await unit.expect?.({ writes: [written] });
      await insertInto(unit, { content: 'one' });
    });
    await store.transact(organizationId, async (unit) => {
      await insertInto(unit, { content: 'two' });
    });
  });
  const ofReads = await limitsOf(async () => {
    await store.memories.list(organizationId, { ...EVERYTHING, order: 'changed', limit: 9 });
    await store.memories.findMatching(organizationId, NO_FILTER, 9);
    await store.memories.stats(organizationId, { ...EVERYTHING, facets: ['kind'], valuesPerFacet: 9 });
    await store.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 9 });
    await store.memories.matching(organizationId, { ...EVERYTHING, text: 'one', limit: 9 });
    await store.documents.chunks(organizationId, { limit: 9 });
    await store.audit.list(organizationId, { limit: 9 });
  });

  expect([...ofUnits]).toEqual([10_000]);
  expect([...ofReads]).toEqual([25_000]);
});

async function open() {
  const uri = await databases.acquire();
  const client = new MongoClient(uri, { monitorCommands: true, ignoreUndefined: true });
  const connection = { client, db: client.db(), [Symbol.asyncDispose]: () => client.close() };
  const options = { dimensions: DIMENSIONS, now: () => Date.now() * 1_000, indexLagMs: INDEX_LAG_MS };
  const store = mongoStoreOn(connection, new Set(vectorIndexNames(DIMENSIONS)), options);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const limitsOf = async (use: () => Promise<unknown>) => {
    const limits = new Set<unknown>();
    const record = ({ commandName, command }: CommandStartedEvent) => {
      if (KINDS.has(commandName)) limits.add(command.maxTimeMS);
    };
    client.on('commandStarted', record);
    await use();
    client.off('commandStarted', record);
    return limits;
  };
  return { store, limitsOf, organizationId: await anOrganization(store) };
}
