import { describe, expect, test } from 'vitest';
import type { Deps } from '../deps.js';
import type { Caller } from '../domain/account/caller.js';
import type { OutgoingPost, Sent } from '../ports/http-sender.js';
import { createOutboundWebhook } from '../services/outbound/outbound-webhooks.js';
import { ingest } from '../services/writing/ingest.js';
import { anotherCaller, testWorld } from '../testing/app/test-deps.js';
import { RecordingSender } from '../testing/fixtures/recording-sender.js';
import { deliverOutboundJob } from './deliver-outbound.js';

describe('deliverOutboundJob', () => {
  test('sends an event as soon as its write is committed', async () => {
    const { deps, caller, sender } = await deliveringWorld(['https://quick.example/']);
    const sent = new Promise<OutgoingPost>((resolve) => {
      sender.answer = (post) => {
        resolve(post);
        return { status: 204 };
      };
    });

    const { memory } = await ingest(deps, caller, { content: 'a' });

    expect(JSON.parse((await sent).body)).toMatchObject({ event: 'memory.ingested', payload: { id: memory.id } });
  });

  test('sends to a fast endpoint while a slow one uses all of its slots', async () => {
    const { deps, caller, sender } = await deliveringWorld(['https://slow.example/', 'https://quick.example/']);
    const held: (() => void)[] = [];
    const quick: OutgoingPost[] = [];
    let onDelivery = () => {};
    sender.answer = (post) => {
      if (post.url.includes('slow')) return new Promise<Sent>((resolve) => held.push(() => resolve({ status: 200 })));
      quick.push(post);
      onDelivery();
      return { status: 200 };
    };

    for (let n = 0; n < 100; n++) await ingest(deps, caller, { content: `event number ${n} of a hundred` });
    while (quick.length < 100) {
      await new Promise<void>((resolve) => {
        onDelivery = resolve;
      });
    }

    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThanOrEqual(4);
    for (const release of held) release();
  });
});

describe('endpoints that never answer', () => {
  test('of one tenant, with thousands of due deliveries, do not delay a delivery of another', async () => {
    const urls = Array.from({ length: 20 }, (_, n) => `https://silent${n}.example/`);
    const sender = new RecordingSender();
    const { deps, caller } = await testWorld({ httpSender: sender });
    const webhookIds: string[] = [];
    for (const url of urls) {
      const { webhook } = await createOutboundWebhook(deps, caller, { url, events: ['memory.ingested'] });
      webhookIds.push(webhook.id);
    }
    await enqueueDeliveries(deps, caller, webhookIds, 100);
    const held = new Map<string, () => void>();
    let [isDelivered, isHeld] = [() => {}, () => {}];
    const delivered = new Promise<void>((resolve) => {
      isDelivered = resolve;
    });
    const shareInUse = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const attemptsBefore: number[] = [];
    sender.answer = (post) => {
      if (post.url.includes('bystander')) {
        attemptsBefore.push(held.size);
        isDelivered();
        return { status: 200 };
      }
      return new Promise<Sent>((resolve) => {
        held.set(post.headers['webhook-id'] ?? '', () => resolve({ status: 200 }));
        if (held.size === 16) isHeld();
      });
    };
    await deps.jobs.start({ 'deliver-outbound': deliverOutboundJob(deps) });
    await shareInUse;

    const bystander = await anotherCaller(deps);
    await createOutboundWebhook(deps, bystander, { url: 'https://bystander.example/', events: ['memory.ingested'] });
    await ingest(deps, bystander, { content: 'what a bystander tells' });
    await delivered;

    expect(attemptsBefore).toEqual([16]);
    for (const release of held.values()) release();
  });
});

/** Enqueues `each` deliveries for every webhook, each of its own event. */
async function enqueueDeliveries(deps: Deps, caller: Caller, webhookIds: readonly string[], each: number) {
  const { organizationId } = caller;
  await deps.store.transact(organizationId, async (unit) => {
    for (const webhookId of webhookIds.flatMap((id) => Array<string>(each).fill(id))) {
      const id = deps.newId();
      await unit.outbound.insertDeliveries('{}', [
        {
          id,
          webhookId,
          event: 'memory.ingested',
          memoryId: id,
          status: 'pending',
          attempts: 0,
          createdAt: deps.now(),
        },
      ]);
      await unit.enqueue({ name: 'deliver-outbound', data: { organizationId, webhookId, deliveryId: id } });
    }
  });
}

/** Creates endpoints for events of new memories, and a running queue. */
async function deliveringWorld(urls: readonly string[]) {
  const sender = new RecordingSender();
  const { deps, caller } = await testWorld({ httpSender: sender });
  for (const url of urls) await createOutboundWebhook(deps, caller, { url, events: ['memory.ingested'] });
  await deps.jobs.start({ 'deliver-outbound': deliverOutboundJob(deps) });
  return { deps, caller, sender };
}
