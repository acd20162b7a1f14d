import { type Document, MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { aFullOrganization, deleteFully } from '../../testing/fixtures/full-organization.js';
import { DIMENSIONS } from '../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { COLLECTIONS } from './engine/schema.js';

const databases = new MongoDatabases(DIMENSIONS);

/** Collections of the whole store, and of people, who keep their accounts. Limits end within minutes by themselves. */
const OF_NO_ORGANIZATION = ['encryption', 'probes', 'rate_limits', 'sessions', 'sign_in_links', 'users'];

/** The documents that name an organization, by collection. */
type Documents = Readonly<Record<string, readonly Document[]>>;

test('a deletion leaves no document of its organization, and every one of another', async () => {
  const uri = await databases.acquire();
  const store = databases.open(uri, { now: () => Date.now() * 1_000 });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const { organizationId: deleted } = await aFullOrganization(store);
  const { organizationId: kept } = await aFullOrganization(store);
  await store.usage.flush();
  const before = [await documentsOf(uri, deleted), await documentsOf(uri, kept)] as const;
  store.usage.countSearch(deleted, '2024-06');

  await deleteFully(store, deleted);

  // A collection that is empty before would not be tested: `aFullOrganization` fills each.
  for (const documents of before) expect(emptyOnes(documents)).toEqual(['deleted_organizations']);
  expect(emptyOnes(await documentsOf(uri, deleted))).toEqual(Object.keys(before[0]));
  expect(await documentsOf(uri, kept)).toEqual(before[1]);
});

async function documentsOf(uri: string, organizationId: string): Promise<Documents> {
  const client = await MongoClient.connect(uri);
  try {
    const names = COLLECTIONS.map(({ name }) => name).filter((name) => !OF_NO_ORGANIZATION.includes(name));
    const entries = names.map(async (name) => {
      const documents = await client.db().collection(name).find().sort({ _id: 1 }).toArray();
      return [name, documents.filter((document) => JSON.stringify(document).includes(organizationId))];
    });
    return Object.fromEntries(await Promise.all(entries)) as Documents;
  } finally {
    await client.close();
  }
}

function emptyOnes(documents: Documents): string[] {
  return Object.keys(documents).filter((name) => documents[name]?.length === 0);
}
