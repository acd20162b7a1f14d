import { type Db, MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import {
  anOrganization,
  change,
  DIMENSIONS,
  type Given,
  insertInto,
  softDelete,
  store as storeAll,
} from '../../../testing/fixtures/memories.js';
import { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from '../store.js';
import { countEarlierFacets } from './count-earlier-facets.js';

const databases = new MongoDatabases(DIMENSIONS);
const ALL = { filter: NO_FILTER, includeDeleted: true, facets: ['kind', 'project'], valuesPerFacet: 3 };

describe('the counts of facets', () => {
  test('answer for all memories with one command, and read none of them', async () => {
    const { store, organizationId, proxy } = await open();
    await storeAll(store, organizationId, ...kinds('a', 'b', 'b'));

    proxy.script();
    const stats = await store.memories.stats(organizationId, ALL);

    expect(proxy.seen.filter((name) => name !== 'hello')).toEqual(['aggregate']);
    expect(stats).toMatchObject({ total: 3, facets: { kind: [{ value: 'b', count: 2 }, { value: 'a' }] } });
  });

  test('answer for a filter with one read of the organization and one of the matches', async () => {
    const { store, organizationId, proxy } = await open();
    await storeAll(store, organizationId, ...kinds('a', 'b', 'b'));
    const filter = { metadata: [{ key: 'kind', anyOf: ['b'] }] };

    proxy.script();
    const stats = await store.memories.stats(organizationId, { ...ALL, filter });

    const reads = proxy.seen.filter((name) => name === 'find' || name === 'aggregate');
    expect(reads).toEqual(['find', 'aggregate']);
    expect(stats).toMatchObject({ filtered: 2, facets: { kind: [{ value: 'b', count: 2 }] } });
  });

  test('are one write for each value that a unit of work changes, in the command of its other writes', async () => {
    const { store, organizationId, proxy, db } = await open();
    await storeAll(store, organizationId, ...kinds('a'));

    proxy.script();
    await storeAll(store, organizationId, ...kinds(...Array.from({ length: 40 }, (_, n) => (n % 2 ? 'a' : 'b'))));

    expect(proxy.seen.filter((name) => name === 'bulkWrite' || name === 'update')).toEqual(['bulkWrite']);
    const counts = await db.collection('facet_counts').find({ org: organizationId }).toArray();
    expect(counts.map(({ active, all }) => [active, all]).sort()).toEqual([
      [20, 20],
      [21, 21],
    ]);
  });

  test('have no value that no memory has', async () => {
    const { store, organizationId, db } = await open();
    const [first, second] = await storeAll(store, organizationId, ...kinds('secret', 'x'.repeat(300)));

    await softDelete(store, first!);
    await store.transact(organizationId, async (unit) => unit.purge(first!.id, await unit.tick()));
    await change(store, second!, { metadata: {} });

    expect(await db.collection('facet_counts').find().toArray()).toEqual([]);
  });
});

describe('the counts of facets of an earlier release', () => {
  test('are not used until the set-up has counted', async () => {
    const { store, organizationId, proxy, db } = await open();
    await storeAll(store, organizationId, ...kinds('a', 'a', 'b'));
    await writeAsBefore(db, organizationId);
    const counted = await store.memories.stats(organizationId, ALL);

    expect(await countEarlierFacets(db, 2)).toBe(1);
    expect(await countEarlierFacets(db, 2)).toBe(0);
    proxy.script();
    const stats = await store.memories.stats(organizationId, ALL);

    expect(proxy.seen.filter((name) => name !== 'hello')).toEqual(['aggregate']);
    expect(stats).toEqual(counted);
    expect(stats.facets.kind).toEqual([
      { value: 'a', count: 2 },
      { value: 'b', count: 1 },
    ]);
  });

  test('are right after every interruption, with writes in between', async () => {
    const { store, organizationId, db, uri } = await open();
    const memories = await storeAll(store, organizationId, ...kinds('a', 'a', 'b', 'b', 'c', 'c', 'd'));
    await db
      .collection<{ _id: string }>('organizations')
      .updateOne({ _id: organizationId }, { $unset: { facetsTo: 1 } });
    let interruptions = 0;

    for (let isDone = false; !isDone; interruptions += 1) {
      isDone = await countOneBatch(uri);
      await storeAll(store, organizationId, { metadata: { kind: 'new' } });
      await store.transact(organizationId, async (unit) => {
        await insertInto(unit, { metadata: { kind: 'old' }, ageUs: 3_600_000_000 });
      });
      await change(store, memories[interruptions % memories.length]!, {
        metadata: { kind: `changed ${interruptions}` },
      });
      if (interruptions === 2) await writeAsBefore(db, organizationId);
    }

    const expected = await recount(db, organizationId);
    const found = await db.collection('facet_counts').find({ org: organizationId }).toArray();
    expect(interruptions).toBeGreaterThan(4);
    expect(new Map(found.map(({ _id, all }) => [String(_id).slice(organizationId.length + 1), all]))).toEqual(expected);
  });
});

/** Counts one batch, then fails. Returns true if nothing is left. */
async function countOneBatch(uri: string): Promise<boolean> {
  await using proxy = await FaultProxy.start(uri);
  await using client = new MongoClient(proxy.through(uri), { monitorCommands: true });
  const reply = { ok: 0, code: 2, codeName: 'BadValue', errmsg: 'interrupted' };
  client.on('commandSucceeded', ({ commandName }) => {
    if (commandName === 'commitTransaction')
      proxy.script({ command: 'findAndModify', fault: { kind: 'answer', reply } });
  });
  return await countEarlierFacets(client.db(), 2).then(
    () => true,
    (error: unknown) => {
      expect(String(error)).toContain('interrupted');
      return false;
    },
  );
}

/** Raises the revision alone, as a unit of work of a server that counts no facets does. */
async function writeAsBefore(db: Db, _id: string): Promise<void> {
  await db.collection<{ _id: string; revision: number }>('organizations').updateOne({ _id }, { $inc: { revision: 1 } });
}

async function recount(db: Db, org: string): Promise<Map<string, number>> {
  const memories = await db.collection<{ facets: string[] }>('memories').find({ org }).toArray();
  const counts = new Map<string, number>();
  for (const facet of memories.flatMap(({ facets }) => facets)) counts.set(facet, (counts.get(facet) ?? 0) + 1);
  return counts;
}

function kinds(...values: string[]): Given[] {
  return values.map((kind) => ({ metadata: { kind } }));
}

async function open() {
  const uri = await databases.acquire();
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const now = () => Date.now() * 1_000;
  const store = await openMongoStore({
    uri: proxy.through(uri),
    dimensions: DIMENSIONS,
    now,
    indexLagMs: INDEX_LAG_MS,
  });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const db = client.db();
  return { store, organizationId: await anOrganization(store), proxy, db, uri };
}
