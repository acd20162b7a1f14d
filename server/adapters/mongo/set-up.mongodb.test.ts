import { Collection, type Document, type ListSearchIndexesCursor, MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseFilter } from '../../domain/filter/filter.js';
import { VECTOR_BYTES } from '../../domain/memory/stored-bytes.js';
import { DuplicateMemoryError, StoreOpenError } from '../../ports/store-errors.js';
import { anOrganization, DIMENSIONS, store as storeAll } from '../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { vectorIndexDefinition, vectorIndexName } from './engine/schema.js';
import { FIRST_SLOT, SECOND_SLOT } from './engine/vectors.js';
import { countStoredBytes } from './memories/count-stored-bytes.js';
import { type MongoStoreOptions, openMongoStore, setUpMongoStore } from './store.js';

const databases = new MongoDatabases(DIMENSIONS);
/** A URI on which nobody listens. */
const UNREACHABLE = 'mongodb://user:secret@127.0.0.1:1/memories?serverSelectionTimeoutMS=10';

describe('setting up', () => {
  test('creates and reports what is missing, and changes nothing when it is repeated', async () => {
    const uri = databases.fresh();
    const steps: string[] = [];
    const setUp = () => setUpMongoStore({ uri, dimensions: DIMENSIONS, onProgress: (step) => steps.push(step) });

    await Promise.all([setUp(), setUp()]);
    await setUp();

    await expect(open(uri)).resolves.toBeDefined();
    expect(steps.at(-1)).toBe(`vector index memories_d${DIMENSIONS}b: ready`);
  });

  test('adds an index for vectors of another size, and keeps the existing one', async () => {
    const uri = databases.fresh();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    await expect(open(uri, { dimensions: 16 })).rejects.toThrow(/memories_d16.*memory-setup-mongodb/);
    await setUpMongoStore({ uri, dimensions: 16 });

    await expect(open(uri, { dimensions: 16 })).resolves.toBeDefined();
    await expect(open(uri)).resolves.toBeDefined();
  });

  test('updates the definition of an earlier index, and keeps what an operator added to it', async () => {
    const uri = databases.fresh();
    const memories = await clientOf(uri).db().createCollection('memories');
    const name = vectorIndexName(DIMENSIONS, FIRST_SLOT);
    const [{ hnswOptions: _, ...vector }, ...filters] = vectorIndexDefinition(DIMENSIONS).fields;
    const added = { type: 'filter', path: 'ours' };
    const fields = [{ ...vector, quantization: 'none' }, ...filters.slice(1), added];
    await memories.createSearchIndex({ name, type: 'vectorSearch', definition: { fields } });
    const setUp = () => setUpMongoStore({ uri, dimensions: DIMENSIONS, onProgress: (step) => steps.push(step) });
    const steps: string[] = [];

    await setUp();
    const [updated] = await memories.listSearchIndexes(name).toArray();
    await setUp();
    const [kept] = await memories.listSearchIndexes(name).toArray();

    const wanted = vectorIndexDefinition(DIMENSIONS).fields;
    expect(updated).toMatchObject({ queryable: true, latestDefinition: { fields: expect.arrayContaining([added]) } });
    expect(fieldsByPath(updated)).toMatchObject(fieldsByPath({ latestDefinition: { fields: wanted } }));
    expect(fieldsByPath(updated)[vector.path]).toMatchObject({ quantization: 'none' });
    expect(kept).toMatchObject({ latestDefinitionVersion: { version: 1 } });
    const done = steps.filter((step) => /: (made|updated|kept)$/.test(step));
    expect(done.map((step) => step.replace('vector index ', ''))).toEqual([
      'memories_d8: updated',
      'memories_d8b: made',
      'memories_d8: kept',
      'memories_d8b: kept',
    ]);
    await expect(open(uri)).resolves.toBeDefined();
  });

  test.each([
    ['another method', { indexingMethod: 'flat', hnswOptions: undefined }],
    ['other edges', { hnswOptions: { maxEdges: 16, numEdgeCandidates: 100 } }],
    ['quantization', { quantization: 'binary' }],
  ])('keeps what an operator chose for the vectors: %s', async (_, choice) => {
    const uri = databases.fresh();
    const memories = await clientOf(uri).db().createCollection('memories');
    const [vector, ...filters] = vectorIndexDefinition(DIMENSIONS).fields;
    const definition = { fields: [JSON.parse(JSON.stringify({ ...vector, ...choice })), ...filters] };
    await memories.createSearchIndex({ name: 'memories_d8', type: 'vectorSearch', definition });
    const steps: string[] = [];

    await setUpMongoStore({ uri, dimensions: DIMENSIONS, onProgress: (step) => steps.push(step) });

    expect(steps).toContain('vector index memories_d8: kept');
    await expect(open(uri)).resolves.toBeDefined();
    const [kept] = await memories.listSearchIndexes('memories_d8').toArray();
    expect(kept).toMatchObject({ latestDefinition: definition });
  });

  test('waits while the index is built or still uses the earlier definition', async () => {
    const uri = await databases.acquire();
    const [index] = await clientOf(uri)
      .db()
      .collection('memories')
      .listSearchIndexes(vectorIndexName(DIMENSIONS, FIRST_SLOT))
      .toArray();
    const before = { ...index, latestDefinitionVersion: { version: 1 }, queryable: true };
    const old = [{ mainIndex: { definitionVersion: { version: 0 } } }];
    const asked = answering(
      { ...before, status: 'READY' },
      { ...before, status: 'READY' },
      { ...before, status: 'BUILDING', statusDetail: [] },
      { ...before, status: 'READY', statusDetail: old },
    );

    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    expect(asked).toHaveBeenCalledTimes(6);
  });

  test('throws if the deployment cannot build the index', async () => {
    const uri = await databases.acquire();
    const failed = {
      name: vectorIndexName(DIMENSIONS, FIRST_SLOT),
      latestDefinition: vectorIndexDefinition(DIMENSIONS),
    };
    answering(failed, failed, { ...failed, status: 'FAILED', queryable: false });

    await expect(setUpMongoStore({ uri, dimensions: DIMENSIONS })).rejects.toThrow(/memories_d8 could not be built/);
  });

  test('adds the fields of earlier chunks, and drops the index that rejected equal ones', async () => {
    const uri = databases.fresh();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    await using store = await open(uri);
    const organizationId = await anOrganization(store);
    const metadata = { documentId: 'd', chunkIndex: 1, chunkTotal: 2 };
    const [chunk, other] = await storeAll(store, organizationId, { content: 'same', metadata }, { content: 'other' });
    const memories = clientOf(uri).db().collection('memories');
    await memories.updateMany({}, { $unset: { chunk: true, document: true } });
    await memories.createIndex({ org: 1, subject: 1, contentHash: 1 }, { name: 'unique_content', unique: true });

    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    const [again, plain] = [{ content: 'same', metadata }, { content: 'same' }];
    await expect(storeAll(store, organizationId, again)).rejects.toThrow(DuplicateMemoryError);
    await expect(storeAll(store, organizationId, plain)).resolves.toHaveLength(1);
    expect(await store.memories.findById(organizationId, chunk!.id)).toEqual(chunk);
    const named = await store.documents.chunks(organizationId, { limit: 9 });
    expect(named).toMatchObject([{ id: chunk!.id, documentId: 'd', index: 1, total: 2 }]);
    await expect(storeAll(store, organizationId, { content: other!.content })).rejects.toThrow(DuplicateMemoryError);
  });

  test('adds the values of earlier memories before the index of values', async () => {
    const uri = databases.fresh();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    await using store = await open(uri);
    const organizationId = await anOrganization(store);
    const [memory] = await storeAll(store, organizationId, { metadata: { n: 3 } }, { content: 'other' });
    const memories = clientOf(uri).db().collection('memories');
    await memories.updateMany({}, { $unset: { values: true } });
    await memories.dropIndex('values');

    await expect(open(uri)).rejects.toThrow(/lacks the indexes values/);
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    const filter = parseFilter({ where: { n: { gte: 3 } } }, {}, 'json');
    const found = await store.memories.list(organizationId, {
      filter,
      includeDeleted: false,
      order: 'oldest',
      limit: 9,
    });
    expect(found).toEqual([memory]);
  });

  test('dates earlier billing events as accepted now, once', async () => {
    const uri = databases.fresh();
    const events = clientOf(uri).db().collection<{ _id: string; org: string; takenInAt?: number }>('billing_events');
    await events.insertOne({ _id: 'o|evt_1', org: 'o' });
    const timesOf = async () => (await events.find().toArray()).map(({ takenInAt }) => takenInAt);

    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    const dated = await timesOf();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    expect(dated).toEqual([expect.any(Number)]);
    expect(dated[0]).toBeGreaterThan(1_700_000_000_000_000);
    expect(await timesOf()).toEqual(dated);
  });

  test('counts the bytes of earlier memories in batches, and cannot open before that', async () => {
    const uri = databases.fresh();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    const { ids, contents } = await storeSome(uri);
    const db = clientOf(uri).db();
    const organizations = db.collection<{ _id: string; bytes?: number }>('organizations');
    await organizations.updateMany({}, { $unset: { bytes: '' } });

    await expect(open(uri)).rejects.toThrow(/not counted: run "memory-setup-mongodb"/);
    await countStoredBytes(db, 2);
    const counted = await Promise.all(ids.map((_id) => organizations.findOne({ _id })));

    const bytes = contents.reduce((sum, content) => sum + Buffer.byteLength(content) + '{}'.length + VECTOR_BYTES, 0);
    expect(counted.map((organization) => organization?.bytes)).toEqual([bytes, 0]);
    await expect(open(uri)).resolves.toBeDefined();
  });

  test('makes collections reject documents of another shape', async () => {
    const uri = databases.fresh();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    const inserting = clientOf(uri).db().collection('memories').insertOne({ content: 'from elsewhere' });

    await expect(inserting).rejects.toThrow(/validation/);
  });
});

/** Creates two organizations: one with active memories and a deleted one, one without memories. */
async function storeSome(uri: string): Promise<{ ids: string[]; contents: string[] }> {
  const opened = await openMongoStore({ uri, dimensions: DIMENSIONS, now: () => Date.now() * 1_000 });
  const ids = [await anOrganization(opened), await anOrganization(opened)];
  const contents = ['one', 'zwölf', 'three', '🐢', 'five'];
  const stored = await storeAll(opened, ids[0]!, ...contents.map((content) => ({ content })), { content: 'gone' });
  await opened.transact(ids[0]!, async (unit) => {
    const at = await unit.tick();
    await unit.update({ ...stored.at(-1)!, updatedAt: at, deletedAt: at });
  });
  await opened[Symbol.asyncDispose]();
  return { ids, contents };
}

describe('opening', () => {
  test('rejects a database that is not set up, and names the command for it', async () => {
    const uri = databases.fresh();

    await expect(open(uri)).rejects.toThrow(StoreOpenError);
    await expect(open(uri)).rejects.toThrow(/memory-setup-mongodb/);
  });

  test('rejects a vector index that lacks a filter field, and names the command that fixes it', async () => {
    const uri = await databases.acquire();
    const [vector, , ...filters] = vectorIndexDefinition(DIMENSIONS).fields;
    const latestDefinition = { fields: [vector, ...filters] };
    answering({ name: vectorIndexName(DIMENSIONS, FIRST_SLOT), queryable: true, latestDefinition });

    await expect(open(uri)).rejects.toThrow(/memories_d8 has an earlier definition of org: run "memory-setup-mongodb"/);
  });

  test('opens while the index is still being built', async () => {
    const uri = await databases.acquire();
    const building = {
      name: vectorIndexName(DIMENSIONS, FIRST_SLOT),
      queryable: false,
      status: 'BUILDING',
      latestDefinition: vectorIndexDefinition(DIMENSIONS),
    };
    answering(building, building);

    const store = await open(uri);
    const organizationId = await anOrganization(store);
    const [memory] = await storeAll(store, organizationId, { content: 'written without search' });

    expect(await store.probe()).toContain('memories_d8 cannot be searched');
    expect(await store.memories.findById(organizationId, memory!.id)).toEqual(memory);
  });

  test('rejects an unreachable deployment, says what to check, and does not reveal the password', async () => {
    const opening = open(UNREACHABLE);

    await expect(opening).rejects.toThrow(StoreOpenError);
    await expect(opening).rejects.toThrow(/cannot be reached/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  test('rejects an invalid connection string, and does not repeat it', async () => {
    const opening = open('postgres://user:secret@host/memories');

    await expect(opening).rejects.toThrow(/MONGODB_URI is not a connection string/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});

async function open(uri: string, options: Partial<MongoStoreOptions> = {}) {
  const opened = await openMongoStore({ uri, dimensions: DIMENSIONS, now: () => Date.now() * 1_000, ...options });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

function clientOf(uri: string): MongoClient {
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  return client;
}

function fieldsByPath(index: object | undefined): Record<string, Document> {
  const { latestDefinition } = index as { latestDefinition: { fields: (Document & { path: string })[] } };
  const { fields } = latestDefinition;
  return Object.fromEntries(fields.map((field) => [field.path, field]));
}

/** Makes the deployment report each given state of the index once, then the real one. */
function answering(...indexes: object[]) {
  const second = {
    name: vectorIndexName(DIMENSIONS, SECOND_SLOT),
    queryable: true,
    latestDefinition: vectorIndexDefinition(DIMENSIONS, SECOND_SLOT),
  };
  const listing = vi.spyOn(Collection.prototype, 'listSearchIndexes');
  onTestFinished(() => listing.mockRestore());
  for (const index of indexes) {
    listing.mockReturnValueOnce({ toArray: async () => [index, second] } as unknown as ListSearchIndexesCursor);
  }
  return listing;
}
