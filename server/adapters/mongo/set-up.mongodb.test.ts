import { MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreOpenError } from '../../ports/store.js';
import { DIMENSIONS } from '../../testing/memories.js';
import { MongoDatabases } from '../../testing/mongo-databases.js';
import { mongodbUri } from '../../testing/mongodb-uri.js';
import { type MongoStoreOptions, openMongoStore, setUpMongoStore } from './store.js';

const databases = new MongoDatabases(mongodbUri());
/** Nobody listens there. */
const UNREACHABLE = 'mongodb://user:secret@127.0.0.1:1/memories?serverSelectionTimeoutMS=10';

describe('setting up', () => {
  test('makes what is missing, tells of it, and changes nothing when it runs again', async () => {
    const uri = await databases.acquire();
    const steps: string[] = [];
    const setUp = () => setUpMongoStore({ uri, dimensions: DIMENSIONS, onProgress: (step) => steps.push(step) });

    await Promise.all([setUp(), setUp()]);
    await setUp();

    await expect(open(uri)).resolves.toBeDefined();
    expect(steps.at(-1)).toBe(`vector index memories_d${DIMENSIONS}: ready`);
  });

  test('adds an index for vectors of another size, and keeps the one before', async () => {
    const uri = await databases.acquire();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });

    await expect(open(uri, { dimensions: 16 })).rejects.toThrow(/memories_d16.*npm run setup:mongodb/);
    await setUpMongoStore({ uri, dimensions: 16 });

    await expect(open(uri, { dimensions: 16 })).resolves.toBeDefined();
    await expect(open(uri)).resolves.toBeDefined();
  });

  test('lets no document in that is not of the shape of its collection', async () => {
    const uri = await databases.acquire();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    const client = new MongoClient(uri);
    onTestFinished(() => client.close());

    const inserting = client.db().collection('memories').insertOne({ content: 'from elsewhere' });

    await expect(inserting).rejects.toThrow(/validation/);
  });
});

describe('opening', () => {
  test('refuses a database that is not set up, and names the command that does it', async () => {
    const uri = await databases.acquire();
    const client = new MongoClient(uri);
    await client.db().dropDatabase();
    await client.close();

    await expect(open(uri)).rejects.toThrow(StoreOpenError);
    await expect(open(uri)).rejects.toThrow(/npm run setup:mongodb/);
  });

  test('refuses a deployment that cannot be reached, says what to look at, and keeps the password to itself', async () => {
    const opening = open(UNREACHABLE);

    await expect(opening).rejects.toThrow(StoreOpenError);
    await expect(opening).rejects.toThrow(/cannot be reached/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  test('refuses what is no connection string, and does not repeat it', async () => {
    const opening = open('postgres://user:secret@host/memories');

    await expect(opening).rejects.toThrow(/MONGODB_URI is no connection string/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});

async function open(uri: string, options: Partial<MongoStoreOptions> = {}) {
  const opened = await openMongoStore({ uri, dimensions: DIMENSIONS, now: () => Date.now() * 1_000, ...options });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}
