import { describe, expect, onTestFinished, test } from 'vitest';
import type { BatchItem } from '../../services/batch.js';
import { ingestBatch } from '../../services/batch.js';
import { ingest } from '../../services/ingest.js';
import { createOutboundWebhook } from '../../services/outbound-webhooks.js';
import { upsert } from '../../services/upsert.js';
import { LetterEmbedder } from '../../testing/letter-embedder.js';
import { MongoDatabases } from '../../testing/mongo-databases.js';
import { FaultProxy } from '../../testing/mongodb/fault-proxy.js';
import { mongodbUri } from '../../testing/mongodb-uri.js';
import { testWorld } from '../../testing/test-deps.js';
import { openMongoStore } from './store.js';

const databases = new MongoDatabases(mongodbUri());

/** Of a write without webhooks: settings and contents; the organization, contents, words or keys, webhooks; the rest. */
const COMMANDS = {
  find: 5,
  findAndModify: 1,
  insert: 2,
  update: 2,
  commitTransaction: 1,
};

describe('the commands of a write', () => {
  test('are as few for a batch as for one memory', async () => {
    const { deps, caller, commandsOf } = await open();
    await ingest(deps, caller, { content: 'the first one binds the organization to its embedder' });

    expect(await commandsOf(() => ingest(deps, caller, { content: contentOf(1) }))).toEqual(COMMANDS);
    expect(await commandsOf(() => ingestBatch(deps, caller, batch(2, 42), true))).toEqual(COMMANDS);
    expect(await commandsOf(() => upsert(deps, caller, keyed(42)))).toEqual(COMMANDS);
  });

  test('are one more for keys, and one for all changes, in a batch that has both', async () => {
    const { deps, caller, commandsOf } = await open();
    await ingestBatch(deps, caller, batch(0, 20, keyed), true);

    const changed = [...batch(0, 20, (n) => ({ ...keyed(n), metadata: { n } })), ...batch(20, 40)];

    expect(await commandsOf(() => ingestBatch(deps, caller, changed, true))).toEqual({
      ...COMMANDS,
      find: 6,
      update: 3,
    });
  });

  test('are as few for a batch when others are told of it, with one for the deliveries and one for the jobs', async () => {
    const { deps, caller, commandsOf } = await open();
    const events = ['memory.ingested'] as const;
    await createOutboundWebhook(deps, caller, { url: 'http://127.0.0.1:9/hook', events });
    await ingest(deps, caller, { content: 'the first one' });

    const told = { ...COMMANDS, insert: 4 };
    expect(await commandsOf(() => ingest(deps, caller, { content: contentOf(1) }))).toEqual(told);
    expect(await commandsOf(() => ingestBatch(deps, caller, batch(2, 42), true))).toEqual(told);
  });
});

async function open() {
  const uri = await databases.acquire();
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const { dimensions } = new LetterEmbedder();
  const now = () => Date.now() * 1_000;
  const store = await openMongoStore({ uri: proxy.through(uri), dimensions, now, setsUp: true });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const { deps, caller } = await testWorld({ store });
  const commandsOf = async (write: () => Promise<unknown>) => {
    proxy.script();
    await write();
    const counts: Record<string, number> = {};
    for (const name of proxy.seen.filter((each) => each !== 'hello')) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  return { deps, caller, commandsOf };
}

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
