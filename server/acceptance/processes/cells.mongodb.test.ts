import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { exportAll, importAll } from '@memory-service/sdk/archive';
import { MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { COLLECTIONS } from '../../adapters/mongo/engine/schema.js';
import { openMongoStore } from '../../adapters/mongo/store.js';
import { digestToken } from '../../domain/account/token.js';
import { deleteOnly } from '../../testing/fixtures/full-organization.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { CellRouter } from '../../testing/processes/cell-router.js';
import { foundOrganizations } from '../../testing/processes/found-organizations.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const { dimensions } = new LocalEmbedder();
const databases = new MongoDatabases(dimensions);
const SEARCHES = [
  { query: 'where does the ferry leave', mode: 'vector' },
  { query: 'ferry harbour', mode: 'keyword' },
  { query: 'ferry from the harbour', mode: 'hybrid' },
] as const;
/** Collections of the whole store and of people, and those that record for a minute that an organization was deleted. */
const KEPT = [
  'encryption',
  'probes',
  'rate_limits',
  'sessions',
  'sign_in_links',
  'users',
  'deleted_organizations',
  'jobs',
];
/** Long enough for a busy machine; fails the test if it hangs. */
const PATIENT = { timeout: 120_000, interval: 250 };

test('an organization moves from one cell to another by an archive, and nothing of it stays behind', async () => {
  const [former, next] = [await startCell(), await startCell()];
  const router = await CellRouter.start();
  onTestFinished(() => router[Symbol.asyncDispose]());
  const { organizationId, token } = former.server.credentials;
  const [neighbour] = await foundOrganizations(await openStore(former.uri), 1);
  if (!neighbour) throw new Error('the former cell has no other organization');
  const client = clientOf(router.url, token, organizationId);
  const bystanders = [
    clientOf(router.url, neighbour.token, neighbour.organizationId),
    clientOf(router.url, next.server.credentials.token, next.server.credentials.organizationId),
  ] as const;
  router.addToken(token, organizationId);
  router.addToken(neighbour.token, neighbour.organizationId);
  router.addToken(next.server.credentials.token, next.server.credentials.organizationId);
  for (const placed of [organizationId, neighbour.organizationId]) router.place(placed, former.server.url);
  router.place(next.server.credentials.organizationId, next.server.url);
  const written = await fill(client);
  for (const bystander of bystanders) await bystander.ingest({ content: 'The ferry leaves from the harbour at 7.' });
  const before = await stateOf(client);
  const others = await Promise.all(bystanders.map(stateOf));
  const { nextCursor: cursor } = await changesOf(client, { limit: 3 });
  const reader = readUntilStopped(client, written);

  router.stopWrites(organizationId);
  await expect(client.ingest({ content: 'Written during the move.' })).rejects.toMatchObject({ status: 503 });
  const archive = await linesOf(client);
  await foundAgain([former.uri, next.uri], { organizationId, token });
  const imported = await importAll(clientOf(next.server.url, token, organizationId), archive);
  router.place(organizationId, next.server.url);
  router.allowWrites(organizationId);

  expect(imported).toMatchObject({ present: 0, failures: [] });
  expect(await stateOf(client)).toEqual(before);
  expect((await changesOf(client, { cursor })).changes).toEqual(before.changes.slice(3));

  await using formerStore = await openStore(former.uri);
  await deleteOnly(formerStore, organizationId, Date.now() * 1_000);
  await vi.waitUntil(async () => (await collectionsWith(former.uri, organizationId)).length === 0, PATIENT);
  const added = await client.ingest({ content: 'Written after the move.' });
  const { failures, reads } = await reader.stop();

  expect(failures).toEqual([]);
  expect(reads).toBeGreaterThan(0);
  expect((await changesOf(client, { cursor })).changes.at(-1)).toMatchObject({ id: added.id });
  expect(await Promise.all(bystanders.map(stateOf))).toEqual(others);
  await expect(clientOf(former.server.url, token, organizationId).get(added.id)).rejects.toMatchObject({ status: 401 });
  expect(await collectionsWith(next.uri, organizationId)).toContain('memories');
  expect(await collectionsWith(next.uri, neighbour.organizationId)).toEqual([]);
});

interface Cell {
  uri: string;
  server: ServerProcess;
}

/** Starts a server on a database of its own. */
async function startCell(): Promise<Cell> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-cell-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const uri = databases.fresh();
  const server = await ServerProcess.start(builtPackage('server'), dataDir, {
    SERVICE_STORE: 'mongodb',
    MONGODB_URI: uri,
    SERVICE_RATE_LIMIT_INGEST: '1000000',
    SERVICE_RATE_LIMIT_SEARCH: '1000000',
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { uri, server };
}

function openStore(uri: string) {
  return openMongoStore({ uri, dimensions, now: () => Date.now() * 1_000 });
}

/** Creates the organization in another cell, with the same id, token and settings. Its owner gets an account there. */
async function foundAgain(
  [from, to]: readonly [from: string, to: string],
  { organizationId, token }: { organizationId: string; token: string },
) {
  await using former = await openStore(from);
  await using store = await openStore(to);
  const settings = await former.transact(organizationId, (unit) => unit.settings());
  const [createdAt, userId] = [Date.now() * 1_000, v7()];
  await store.accounts.createOrganization({
    organization: { id: organizationId, name: 'moved', createdAt },
    owner: { id: userId, email: `${userId}@example.test` },
    token: {
      id: v7(),
      organizationId,
      userId,
      name: 'moved',
      digest: digestToken(token),
      prefix: token.slice(0, 8),
      lastFour: token.slice(-4),
      abilities: ['*'],
      createdAt,
    },
  });
  await store.transact(organizationId, (unit) => unit.saveSettings(settings));
}

function clientOf(baseUrl: string, token: string, organizationId: string): MemoryClient {
  return new MemoryClient({ baseUrl, token, organizationId, maxRetries: 0 });
}

/** Stores memories of every kind. Returns the ids of those that are not deleted. */
async function fill(client: MemoryClient): Promise<string[]> {
  const kept: string[] = [];
  for (const [chunkIndex, content] of [
    'The ferry leaves at 7.',
    'It starts in the harbour.',
    'Dogs are free.',
  ].entries()) {
    kept.push((await client.ingest({ content, metadata: { documentId: 'd', chunkIndex, chunkTotal: 3 } })).id);
  }
  kept.push(
    (await client.upsert({ externalKey: 'k', scope: { source: 's' }, content: 'The harbour is in the north.' })).id,
  );
  kept.push((await client.ingest({ content: 'Ana takes the ferry.', subjectKey: 'ana', metadata: { n: 3 } })).id);
  const { id: gone } = await client.ingest({ content: 'The ferry is closed.' });
  await client.delete(gone);
  const [first = ''] = kept;
  for (const content of ['The ferry leaves at 8.', 'The ferry leaves at 9.']) await client.update(first, { content });
  return kept;
}

/** Returns the lines of an archive of the organization. */
async function linesOf(client: MemoryClient): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportAll(client)) lines.push(line);
  return lines;
}

/** Returns everything that the clients of an organization see: memories, versions, feed and searches. */
async function stateOf(client: MemoryClient) {
  const [, ...records] = await linesOf(client);
  const searches = [];
  for (const search of SEARCHES) searches.push((await client.search({ ...search, limit: 20 })).results);
  const { changes } = await changesOf(client);
  return { records, searches, changes };
}

function changesOf(client: MemoryClient, page: { cursor?: string | undefined; limit?: number } = {}) {
  const query = { since: '2020-01-01T00:00:00Z', includeDeleted: true, limit: 100, ...page };
  return client.request<{ changes: { id: string }[]; nextCursor?: string }>('GET', '/api/memories/changes', { query });
}

/** Reads memories and searches without a pause, and records what fails. */
function readUntilStopped(client: MemoryClient, ids: readonly string[]) {
  const failures: unknown[] = [];
  let reads = 0;
  let isStopped = false;
  const reading = (async () => {
    for (; !isStopped; reads += 1) {
      try {
        for (const id of ids) await client.get(id);
        const { results } = await client.search({ query: 'ferry', mode: 'keyword', limit: 20 });
        if (results.length === 0) failures.push('a search found nothing');
      } catch (error) {
        failures.push(error);
      }
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await reading;
      return { failures, reads };
    },
  };
}

/** Returns the names of the collections that have a document of an organization. */
async function collectionsWith(uri: string, organizationId: string): Promise<string[]> {
  await using client = await MongoClient.connect(uri);
  const names = COLLECTIONS.map(({ name }) => name).filter((name) => !KEPT.includes(name));
  const having = await Promise.all(
    names.map(async (name) => {
      const documents = await client.db().collection(name).find().toArray();
      return documents.some((document) => JSON.stringify(document).includes(organizationId)) ? [name] : [];
    }),
  );
  return having.flat();
}
