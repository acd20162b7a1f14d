import { v7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { LetterEmbedder } from '../../../testing/fixtures/letter-embedder.js';
import { anOrganization } from '../../../testing/fixtures/memories.js';
import { aDelivery, attempted, NOON, send } from '../../../testing/fixtures/outbound-records.js';
import { anInboundDelivery, anInboundWebhook } from '../../../testing/inbound/records.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from '../store.js';

const databases = new MongoDatabases(new LetterEmbedder().dimensions);

async function open() {
  const uri = await databases.acquire();
  const { dimensions } = new LetterEmbedder();
  const store = await openMongoStore({ uri, dimensions, now: () => Date.now() * 1_000, indexLagMs: 0 });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return { store, organizationId: await anOrganization(store) };
}

test('results of deliveries are stored while a unit of work holds the clock of the organization', async () => {
  const { store, organizationId } = await open();
  const outgoing = aDelivery(v7());
  const webhook = anInboundWebhook(organizationId);
  const incoming = anInboundDelivery(webhook);
  await send(store, organizationId, outgoing);
  await store.transact(organizationId, async ({ inbound }) => {
    await inbound.insertWebhook(webhook);
    await inbound.insertDelivery(incoming);
  });
  const sent = { ...outgoing, status: 'delivered', attempts: 1, ...attempted({ at: NOON, status: 200 }) } as const;
  const ended = { ...incoming, state: 'processed', finishedAt: NOON } as const;
  const events: string[] = [];

  await store.transact(organizationId, async (unit) => {
    await unit.accounts.rename('held');
    events.push('held');
    const isSent = await store.outbound.storeAttempt(organizationId, outgoing, sent);
    const isEnded = await store.inbound.endDelivery(ended);
    events.push(`sent ${isSent}, ended ${isEnded}`);
    await unit.tick();
  });

  expect(events).toEqual(['held', 'sent true, ended true']);
  expect(await store.outbound.findDelivery(organizationId, outgoing.id)).toEqual(sent);
  expect(await store.inbound.findDelivery(organizationId, incoming.key)).toEqual(ended);
});

test('a unit of work that would replace a delivery after its result was stored sees the result instead', async () => {
  const { store, organizationId } = await open();
  const outgoing = aDelivery(v7());
  await send(store, organizationId, outgoing);
  const sent = { ...outgoing, status: 'delivered', attempts: 1, ...attempted({ at: NOON, status: 200 }) } as const;
  const seen: string[] = [];

  await store.transact(organizationId, async ({ outbound }) => {
    const found = await outbound.findDelivery(outgoing.id);
    seen.push(found?.status ?? 'gone');
    if (seen.length === 1) await store.outbound.storeAttempt(organizationId, outgoing, sent);
    if (found?.status === 'pending') await outbound.updateDelivery({ ...found, status: 'failed' });
  });

  expect(seen).toEqual(['pending', 'delivered']);
  expect(await store.outbound.findDelivery(organizationId, outgoing.id)).toEqual(sent);
});
