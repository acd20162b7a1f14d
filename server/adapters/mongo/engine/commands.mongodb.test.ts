import { v7 } from 'uuid';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../../app.js';
import type { Deps } from '../../../deps.js';
import { FIRST_SETTINGS } from '../../../domain/account/organization.js';

import { BOUNDS } from '../../../domain/fairness/bounds.js';
import { NO_FILTER } from '../../../domain/filter/filter.js';

import { inProcessFetch } from '../../../http/mcp/in-process-fetch.js';
import { deliverOutbound } from '../../../services/outbound/deliver-outbound.js';
import { createOutboundWebhook } from '../../../services/outbound/outbound-webhooks.js';
import type { BatchItem } from '../../../services/writing/batch.js';
import { ingestBatch } from '../../../services/writing/batch.js';
import { importMemories } from '../../../services/writing/import.js';
import { ingest } from '../../../services/writing/ingest.js';
import { upsert } from '../../../services/writing/upsert.js';
import { testWorld } from '../../../testing/app/test-deps.js';
import { LetterEmbedder } from '../../../testing/fixtures/letter-embedder.js';
import { RecordingSender } from '../../../testing/fixtures/recording-sender.js';
import { SMALL_PLAN, SMALL_PRICE, subscribe } from '../../../testing/fixtures/subscriptions.js';
import { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { type MongoStoreOptions, openMongoStore } from '../store.js';

/** Creates a request for a memory, or with content that is unique for `n`. */
type RequestOf = (id: string, n: number) => [method: string, path: string, body?: object];

const REQUESTS = {
  'a memory': (id) => ['GET', `/api/memories/${id}`],
  'the newest memories': () => ['GET', '/api/memories/recent'],
  'changes under a filter': () => ['GET', '/api/memories/changes?since=2026-01-01&filter[kind]=a'],
  'a page of an export': () => ['GET', '/api/memories/export'],
  'a search by vector': () => ['POST', '/api/memories/search', { query: 'nothing', filter: { kind: 'a' } }],
  'a search by words': () => ['POST', '/api/memories/search', { query: 'nothing', mode: 'keyword' }],
  'a search by both': () => ['POST', '/api/memories/search', { query: 'nothing', mode: 'hybrid' }],
  'a new memory': (_, n) => ['POST', '/api/memories', unkeyed(n)],
  'a keyed memory': (_, n) => ['PUT', '/api/memories', keyed(n)],
  'a batch': (_, n) => ['POST', '/api/memories/batch', { items: [unkeyed(n), unkeyed(n + 1), keyed(n + 2)] }],
  'new content': (id, n) => ['PATCH', `/api/memories/${id}`, unkeyed(n)],
  'a deletion': (id) => ['DELETE', `/api/memories/${id}`],
} satisfies Record<string, RequestOf>;

const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };
const ROUNDS = 6;
/** A limit so low that every request is counted in the database. */
const NEAR = 29;
/** Number of open connections, more than a request uses at once. */
const MIN_CONNECTIONS = 8;
/** Options of a wait that is short unless the machine is busy. */
const PATIENT = { timeout: 60_000 };
const databases = new MongoDatabases(new LetterEmbedder().dimensions);
const searchedDatabases = new MongoDatabases(new LetterEmbedder().dimensions, 'search');

/** The commands of a write: contents, to see if a vector is needed; everything that the unit expects; all its writes. */
const COMMANDS = { find: 1, aggregate: 1, bulkWrite: 1, commitTransaction: 1 };

describe('the commands of a write', () => {
  test('are the same for a batch as for one memory', async () => {
    const { deps, caller, commandsOf } = await open();
    await ingest(deps, caller, { content: 'the first one binds the organization to its embedder' });

    expect(await commandsOf(() => ingest(deps, caller, { content: contentOf(1) }))).toEqual(COMMANDS);
    expect(await commandsOf(() => ingestBatch(deps, caller, batch(2, 42), true))).toEqual(COMMANDS);
    expect(await commandsOf(() => upsert(deps, caller, keyed(42)))).toEqual(COMMANDS);
  });

  test('are the same for a batch with changes', async () => {
    const { deps, caller, commandsOf } = await open();
    await ingestBatch(deps, caller, batch(0, 20, keyed), true);

    const changed = [...batch(0, 20, (n) => ({ ...keyed(n), metadata: { n } })), ...batch(20, 40)];

    expect(await commandsOf(() => ingestBatch(deps, caller, changed, true))).toEqual(COMMANDS);
  });

  test('are the same with webhooks', async () => {
    const { deps, caller, commandsOf } = await open();
    const events = ['memory.ingested'] as const;
    await createOutboundWebhook(deps, caller, { url: 'http://127.0.0.1:9/hook', events });
    await ingest(deps, caller, { content: 'the first one' });

    expect(await commandsOf(() => ingest(deps, caller, { content: contentOf(1) }))).toEqual(COMMANDS);
    expect(await commandsOf(() => ingestBatch(deps, caller, batch(2, 42), true))).toEqual(COMMANDS);
  });

  test('are the same for an import of old memories', async () => {
    const { deps, caller, commandsOf } = await open();
    await ingest(deps, caller, { content: 'the first one' });
    const items = (from: number) =>
      Array.from({ length: 40 }, (_, n) => {
        const createdAt = `2020-01-01T00:00:${String(n).padStart(2, '0')}.00000${from}Z`;
        return { input: { content: contentOf(from * 100 + n), createdAt } };
      });
    const named = items(2).map(({ input }) => ({ input: { ...input, id: v7() } }));

    const commands = await commandsOf(() => importMemories(deps, caller, items(1)));
    const commandsOfNamed = await commandsOf(() => importMemories(deps, caller, named));

    expect(commands).toEqual(COMMANDS);
    expect(commandsOfNamed).toEqual({ ...COMMANDS, find: 2 });
  });

  test('are shared by writes that wait for the same organization', async () => {
    const { deps, caller, store, commandsOf } = await open();
    await ingest(deps, caller, { content: 'the first one' });

    const commands = await commandsOf(() =>
      Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          store.transact(caller.organizationId, async (unit) => {
            await unit.expect?.({ ids: [`id-${n}`] });
            await unit.countIngest('2026-03', 1);
          }),
        ),
      ),
    );

    expect(commands).toEqual({ aggregate: 2, bulkWrite: 2, commitTransaction: 2 });
    expect(await store.usage.read(caller.organizationId, '2026-03')).toMatchObject({ ingest: 30 });
  });

  test('are one for each collection if the server is older than MongoDB 8', async () => {
    const { deps, caller, proxy, commandsOf } = await open();
    const reply = { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: "no such command: 'bulkWrite'" };

    proxy.script({ command: 'bulkWrite', fault: { kind: 'answer', reply } });
    await ingest(deps, caller, { content: 'the first one' });
    const refused = [...proxy.met];

    expect(refused).toEqual(['bulkWrite']);
    expect(await commandsOf(() => ingest(deps, caller, { content: contentOf(1) }))).toEqual({
      find: 1,
      aggregate: 1,
      update: 2,
      insert: 2,
      commitTransaction: 1,
    });
  });
});

test('the commands of an attempt to send an event read the event and its webhook, and store the result', async () => {
  const { deps, caller, commandsOf } = await open();
  const sending = { ...deps, httpSender: RecordingSender.answering({ status: 204 }) };
  const { organizationId } = caller;
  const events = ['memory.ingested'] as const;
  const { webhook } = await createOutboundWebhook(deps, caller, { url: 'https://example.com/hook', events });
  await ingest(deps, caller, { content: 'the first one' });
  const query = { webhookId: webhook.id, limit: 1 };
  const [delivery] = await deps.store.outbound.listDeliveries(organizationId, query);

  const commands = await commandsOf(() => deliverOutbound(sending, { organizationId, deliveryId: delivery!.id }));

  const [ended] = await deps.store.outbound.listDeliveries(organizationId, query);
  expect(ended).toMatchObject({ id: delivery!.id, status: 'delivered', attempts: 1 });
  expect(commands).toEqual({ find: 4, update: 1 });
});

describe('the commands of a search by words', () => {
  test('are bounded for any number of words', async () => {
    const { caller, store, commandsOf } = await open();
    const search = (words: number) => () => {
      const text = Array.from({ length: words }, (_, n) => `word${n}`).join(' ');
      return store.memories.matching(caller.organizationId, { ...EVERYTHING, text, limit: 9 });
    };

    expect(await commandsOf(search(5))).toMatchObject({ find: 2, aggregate: 1 });
    expect(await commandsOf(search(1_400))).toMatchObject({ find: 2, aggregate: 8 });
  });

  test('are a few more if the organization has chunks', async () => {
    const { caller, deps, store, commandsOf } = await open();
    const metadata = { documentId: 'd', chunkIndex: 0, chunkTotal: 1 };
    await ingest(deps, caller, { content: 'word', metadata });
    const filter = { metadata: [{ key: 'documentId', anyOf: ['d'] }] };
    const search = (scope: typeof EVERYTHING) => () =>
      store.memories.matching(caller.organizationId, { ...scope, text: 'word', limit: 9 });

    expect(await commandsOf(search(EVERYTHING))).toMatchObject({ find: 3, aggregate: 3 });
    expect(await commandsOf(search({ ...EVERYTHING, filter }))).toMatchObject({ find: 4, aggregate: 4 });
  });
});

test('searches that wait for their organization’s share do not delay other organizations', async () => {
  const { caller, store } = await open();
  const use = () => store.sharedResources.find(({ name }) => name === 'databaseReads')?.use;
  const { tenant } = BOUNDS.databaseReads.shares;
  const search = (organizationId: string) =>
    store.memories.matching(organizationId, { ...EVERYTHING, text: 'word', limit: 9 });

  const own = Array.from({ length: tenant + 4 }, () => search(caller.organizationId));
  const alone = use();
  const bystander = search('another organization');
  const beside = use();
  await Promise.all([...own, bystander]);

  expect(alone).toMatchObject({ inUse: tenant, waiting: 4 });
  expect(beside).toMatchObject({ inUse: tenant + 1, waiting: 4 });
  expect(use()).toEqual({ inUse: 0, waiting: 0, refused: 0 });
});

describe('the waits of a request', () => {
  test('are one before its own operation if its caller is far from its rate limit', async () => {
    const service = await openService();

    expect(await waitsOf(service, REQUESTS)).toEqual({
      'a memory': 2,
      'the newest memories': 2,
      'changes under a filter': 2,
      'a page of an export': 2,
      'a search by vector': 3,
      'a search by words': 3,
      'a search by both': 4,
      'a new memory': 5,
      'a keyed memory': 5,
      'a batch': 5,
      'new content': 5,
      'a deletion': 4,
    });
  });

  test('are one more for words in a search index', async () => {
    const service = await openService(undefined, 1_000, 'search');

    const { 'a search by words': words, 'a search by both': both } = REQUESTS;
    expect(await waitsOf(service, { words, both })).toEqual({ words: 4, both: 5 });
  });

  test('are two near the rate limit', async () => {
    const service = await openService(undefined, NEAR);

    const { 'a memory': one, 'a new memory': write } = REQUESTS;
    expect(await waitsOf(service, { one })).toEqual({ one: 3 });
    expect(await waitsOf(service, { write })).toEqual({ write: 6 });
  });

  test('are one more to count under a cap, or to check for a cap', async () => {
    const plan = { ...SMALL_PLAN, ingestPerMonth: 1_000, searchPerMonth: 1_000 };
    const service = await openService({ enforced: true, configured: true, plans: new Map([[SMALL_PRICE, plan]]) });
    await subscribe(service, service.caller.organizationId);

    const { 'a memory': one, 'a search by vector': search, 'a new memory': write } = REQUESTS;
    expect(await waitsOf(service, { one, search, write })).toEqual({ one: 2, search: 4, write: 6 });
  });
});

async function open(options: Pick<MongoStoreOptions, 'indexLagMs' | 'readsSubscriptions' | 'keywords'> = {}) {
  const uri = await (options.keywords === 'search' ? searchedDatabases : databases).acquire();
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const { dimensions } = new LetterEmbedder();
  const now = () => Date.now() * 1_000;
  const through = new URL(proxy.through(uri));
  through.searchParams.set('minPoolSize', String(MIN_CONNECTIONS));
  const store = await openMongoStore({ uri: through.href, dimensions, now, indexLagMs: INDEX_LAG_MS, ...options });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const { deps, caller, token } = await testWorld({ store });
  const commandsOf = async (write: () => Promise<unknown>) => {
    // Periodic writes happen now, and not in between.
    await store.usage.flush();
    proxy.script();
    await write();
    const counts: Record<string, number> = {};
    for (const name of proxy.seen.filter((each) => each !== 'hello')) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  // Includes the settings, as every request reads them with its credential.
  return { deps, caller: { ...caller, settings: FIRST_SETTINGS }, token, store, proxy, commandsOf };
}

/**
 * Returns the lowest number of waits of each request over several rounds. The first search of a kind has no plan yet,
 * and on a busy machine a concurrent command may look like another wait.
 */
async function waitsOf({ send, proxy, store, rateLimiter }: Service, requests: Record<string, RequestOf>) {
  let n = 0;
  const waits: Record<string, number> = {};
  for (const [name, requestOf] of Object.entries(requests)) {
    for (let round = 0; round < ROUNDS; round += 1) {
      n += 1;
      const { id } = await send('POST', '/api/memories', { ...unkeyed(10 * n), metadata: { kind: 'a' } });
      const [method, path, body] = requestOf(String(id), 10 * n + 1);
      // Periodic writes happen now, and not in between.
      await store.usage.flush();
      await rateLimiter.flush();
      proxy.script();
      await send(method, path, body);
      waits[name] = Math.min(waits[name] ?? proxy.waits, proxy.waits);
    }
  }
  return waits;
}

/** Opens the service on a database whose commands are counted, with an up-to-date search index. */
async function openService(
  billing?: Deps['billing'],
  limit = 1_000,
  keywords: MongoStoreOptions['keywords'] = 'index',
) {
  const readsSubscriptions = Boolean(billing);
  const { deps, caller, proxy, store, token } = await open({ indexLagMs: 0, readsSubscriptions, keywords });
  // Opening a connection would count as a wait.
  await vi.waitUntil(() => proxy.connections > MIN_CONNECTIONS, PATIENT);
  const at = Date.now() * 1_000;
  const limits = {
    ingest: limit,
    search: limit,
    admin: limit,
    tools: limit,
    signIn: limit,
    signInAddress: limit,
    signInAccount: limit,
  };
  // With a fixed clock the use of a token is not recorded again.
  const rateLimiter = store.rateLimiter(limits);
  const app = createApp({ ...deps, ...(billing && { billing }), rateLimiter, now: () => at });
  const fetch = inProcessFetch(app.callback(), { source: 'rest', headers: { authorization: `Bearer ${token}` } });
  const send = async (method: string, path: string, body: object | undefined): Promise<Record<string, unknown>> => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`http://memory.test${path}`, { method, ...(body && json) });
    const text = await answer.text();
    expect({ text, ok: answer.ok }).toMatchObject({ ok: true });
    return text.startsWith('{') && !text.includes('\n') ? JSON.parse(text) : {};
  };
  return { caller, proxy, store, send, rateLimiter };
}

type Service = Awaited<ReturnType<typeof openService>>;

function contentOf(n: number): string {
  return `Nothing else says ${n.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}`;
}

function keyed(n: number) {
  return { content: contentOf(n), externalKey: `key ${n}` };
}

function batch(from: number, to: number, inputOf: (n: number) => { content: string } = unkeyed): BatchItem[] {
  return Array.from({ length: to - from }, (_, index) => ({ input: inputOf(from + index) }));
}

function unkeyed(n: number) {
  return { content: contentOf(n) };
}
