import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { goOnErasing } from '../../services/upkeep/erase-subject.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { askForErasure, MARKS, writeAboutSubject } from '../../testing/fixtures/erased-subject.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from './store.js';

const { dimensions } = new LetterEmbedder();
const databases = new MongoDatabases(dimensions);

test('a dump of all collections contains nothing of an erased subject', async () => {
  const uri = await databases.acquire();
  const { deps: world } = await testWorld();
  const store = await openMongoStore({ uri, dimensions, now: world.now, readsSubscriptions: true });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const deps = { ...world, store };
  const caller = await anotherCaller(deps);
  const { other } = await writeAboutSubject(deps, caller);
  const before = await dump(uri);

  const id = await askForErasure(deps, caller);
  while (await goOnErasing(deps, caller.organizationId, id));

  const after = await dump(uri);
  expect(MARKS.filter((mark) => !before.includes(mark))).toEqual([]);
  expect(MARKS.filter((mark) => after.includes(mark))).toEqual([]);
  expect(await store.memories.findById(caller.organizationId, other)).toBeDefined();
  expect((await store.erasures.find(caller.organizationId, id))?.counts.memories).toBe(3);
});

/** Returns everything in a database as text. */
async function dump(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri);
  try {
    const collections = await client.db().listCollections({}, { nameOnly: true }).toArray();
    const documents = await Promise.all(
      collections.map(async ({ name }) => [name, await client.db().collection(name).find().toArray()]),
    );
    return JSON.stringify(documents);
  } finally {
    await client.close();
  }
}
