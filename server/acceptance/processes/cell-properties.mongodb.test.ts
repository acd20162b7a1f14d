import { type Document, MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { DURABLE } from '../../adapters/mongo/engine/connection.js';
import { checkSetUp } from '../../adapters/mongo/set-up.js';
import { mongoStoreOn } from '../../adapters/mongo/store.js';
import { createApp } from '../../app.js';
import { inProcessFetch } from '../../http/mcp/in-process-fetch.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { SAMPLE_REQUESTS, UNKNOWN_ID } from '../../testing/fixtures/requests.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';

const { dimensions } = new LetterEmbedder();
const databases = new MongoDatabases(dimensions);

/** Collections of people, of the whole cell, and of credentials, by which a request finds its organization. */
const NOT_OF_ORGANIZATIONS = [
  'users',
  'sessions',
  'sign_in_links',
  'api_tokens',
  'rate_limits',
  'probes',
  'encryption',
];
/** Keys by which a request finds its organization: the memberships of a person, and the address of a sender. */
const LEADING_TO_ORGANIZATIONS: Readonly<Record<string, string>> = { memberships: 'userId', inbound_webhooks: '_id' };
/** Operations of people and of the whole cell, and the one after which the token is not valid. */
const NOT_SENT = ['deleteOrganization', 'createOrganization', 'acceptInvitation', 'getMetrics'];

/** Searches by words, which send other commands than the sample. */
const SEARCHES = {
  'a search by words': { method: 'POST', path: '/api/memories/search', body: { query: 'chunk', mode: 'keyword' } },
  'a search by both': { method: 'POST', path: '/api/memories/search', body: { query: 'chunk', mode: 'hybrid' } },
};

test('every read and write of an organization’s request names the organization', async () => {
  const { parts, send, organizationId, idFor } = await open();
  const unnamed: string[] = [];
  let named = 0;

  for (const [operationId, { method, path, body }] of Object.entries({ ...SAMPLE_REQUESTS, ...SEARCHES })) {
    if (NOT_SENT.includes(operationId)) continue;
    parts.length = 0;
    const id = idFor(path);
    await send(
      method,
      path.replaceAll(UNKNOWN_ID, id),
      body === undefined ? body : JSON.stringify(body).replaceAll(UNKNOWN_ID, id),
    );
    for (const { collection, part } of parts) {
      if (NOT_OF_ORGANIZATIONS.includes(collection) || leadsToOrganizations({ collection, part })) continue;
      if (JSON.stringify(part).includes(organizationId)) named += 1;
      else unnamed.push(`${operationId}: ${collection} ${JSON.stringify(part)}`);
    }
  }

  expect(unnamed).toEqual([]);
  expect(named).toBeGreaterThan(100);
});

/** Reports if a read has only a key that leads to organizations. */
function leadsToOrganizations({ collection, part }: Part): boolean {
  const filter: object = Array.isArray(part) ? (part[0]?.$match ?? {}) : part;
  const [key, ...others] = Object.keys(filter);
  return key !== undefined && key === LEADING_TO_ORGANIZATIONS[collection] && others.length === 0;
}

/** A filter, a pipeline or a document of a command, and its collection. */
interface Part {
  collection: string;
  part: Document | readonly Document[];
}

/** Opens the service with a token of an owner, and records the parts of all commands. */
async function open() {
  const uri = await databases.acquire();
  const client = new MongoClient(uri, { ...DURABLE, monitorCommands: true });
  onTestFinished(() => client.close());
  const parts: Part[] = [];
  client.on('commandStarted', ({ commandName, command }) => parts.push(...partsOf(commandName, command)));
  const connection = { client, db: client.db(), async [Symbol.asyncDispose]() {} };
  const now = () => Date.now() * 1_000;
  const indexed = await checkSetUp(connection.db, { dimensions });
  const store = mongoStoreOn(connection, indexed, { dimensions, now, indexLagMs: 0, readsSubscriptions: true });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const { deps, caller, token } = await testWorld({ store });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const fetch = inProcessFetch(createApp(deps).callback(), { source: 'rest', headers });
  const send = async (method: string, path: string, body?: string) => {
    const answer = await fetch(`http://memory.test${path}`, { method, ...(body !== undefined && { body }) });
    return answer.text();
  };
  const idOf = async (path: string, body: object) =>
    String(JSON.parse(await send('POST', path, JSON.stringify(body))).id);
  const metadata = { documentId: 'd', chunkIndex: 0, chunkTotal: 1 };
  const memory = await idOf('/api/memories', { content: 'a chunk', metadata });
  const outbound = await idOf('/api/organization/outbound-webhooks', {
    url: 'https://example.com/hook',
    events: ['memory.ingested'],
  });
  const inbound = await idOf('/api/organization/inbound-webhooks', { kind: 'codehost', name: 'a' });
  const idFor = (path: string) => {
    if (path.includes('outbound')) return outbound;
    return path.includes('inbound') || path.startsWith('/webhooks') ? inbound : memory;
  };
  return { parts, send, organizationId: caller.organizationId, idFor };
}

/** Returns what a command reads and writes. Each pipeline, also one of a union, is a part of its own. */
function partsOf(name: string, command: Document): Part[] {
  const collection = String(command[name]);
  const single = command.filter ?? command.query;
  if (name === 'bulkWrite') {
    return (command.ops as Document[]).map((op) => {
      const index = Number(op.insert ?? op.update ?? op.delete);
      const namespace = String(command.nsInfo[index].ns);
      return { collection: namespace.slice(namespace.indexOf('.') + 1), part: op.document ?? op.filter };
    });
  }
  if (name === 'aggregate') return pipelinesOf(collection, command.pipeline);
  const many: Document[] = command.documents ?? (command.updates ?? command.deletes ?? []).map(({ q }: Document) => q);
  return [...many, ...(single === undefined ? [] : [single])].map((part) => ({ collection, part }));
}

function pipelinesOf(collection: string, pipeline: readonly Document[]): Part[] {
  const own = pipeline.filter(({ $unionWith }) => $unionWith === undefined);
  const unions = pipeline.flatMap(({ $unionWith }) => ($unionWith ? [$unionWith as Document] : []));
  return [{ collection, part: own }, ...unions.flatMap(({ coll, pipeline: of }) => pipelinesOf(coll, of))];
}
