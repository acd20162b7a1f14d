import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const UNLIMITED = {
  SERVICE_RATE_LIMIT_INGEST: '1000000',
  SERVICE_RATE_LIMIT_SEARCH: '1000000',
  SERVICE_RATE_LIMIT_ADMIN: '1000000',
};
const databases = new MongoDatabases(new LocalEmbedder().dimensions);

describe('three servers on one database', () => {
  const servers: ServerProcess[] = [];
  let clients: MemoryClient[] = [];
  let dataDir = '';

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'memory-servers-'));
    const env = { ...UNLIMITED, SERVICE_STORE: 'mongodb', MONGODB_URI: databases.fresh() };
    for (let n = 0; n < 3; n += 1) servers.push(await ServerProcess.start(builtPackage('server'), dataDir, env));
    clients = servers.map(({ credentials }) => new MemoryClient(credentials));
  });

  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('store one of many equal memories that arrive at all of them at the same time', async () => {
    const answers = await Promise.all(fromEach(4, (client) => client.ingest({ content: 'the same everywhere' })));

    const outcomes = answers.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['created', ...Array(11).fill('deduplicated')]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  });

  test('keep one memory for a key, with the metadata of every server', async () => {
    const answers = await Promise.all(
      fromEach(4, (client, key) => client.upsert({ externalKey: 'k', content: 'keyed', metadata: { [key]: true } })),
    );

    const [first] = answers;
    const stored = await clients[1]!.get(first!.id);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(Object.keys(stored.metadata)).toHaveLength(12);
  });

  test('lose no change of metadata made through another one', async () => {
    const { id } = await clients[0]!.ingest({ content: 'patched from everywhere' });

    await Promise.all(fromEach(4, (client, key) => client.update(id, { metadata: { [key]: true } })));

    expect(Object.keys((await clients[2]!.get(id)).metadata)).toHaveLength(12);
  });

  test('find at once what another one stored, and list every acknowledged memory of a killed server', async () => {
    const acknowledged: string[] = [];
    const writing = Array.from({ length: 3 }, async (_, writer) => {
      for (let n = 0; ; n += 1) acknowledged.push((await clients[2]!.ingest({ content: `${writer} wrote ${n}` })).id);
    });
    const ended = Promise.allSettled(writing);
    while (acknowledged.length < 15) await new Promise(setImmediate);
    await servers[2]!.stop('SIGKILL');
    await ended;

    const ids = new Set<string>();
    for await (const { id } of clients[0]!.export()) ids.add(id);
    const { id } = await clients[0]!.ingest({ content: 'written after the end of another' });
    const { results } = await clients[1]!.search({ query: 'written after the end of another', limit: 1 });

    expect(acknowledged.filter((each) => !ids.has(each))).toEqual([]);
    expect(results[0]?.id).toBe(id);
  });

  /** Makes `times` calls on each server, all at the same time, each with its own key. */
  function fromEach<T>(times: number, call: (client: MemoryClient, key: string) => Promise<T>): Promise<T>[] {
    return Array.from({ length: times }, (_, round) =>
      clients.map((client, server) => call(client, `server ${server} round ${round}`)),
    ).flat();
  }
});
