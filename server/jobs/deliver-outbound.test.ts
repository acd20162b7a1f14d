import { describe, expect, test } from 'vitest';
import type { OutgoingPost, Sent } from '../ports/http-sender.js';
import { ingest } from '../services/memories/ingest.js';
import { createOutboundWebhook } from '../services/outbound/outbound-webhooks.js';
import { testWorld } from '../testing/app/test-deps.js';
import { RecordingSender } from '../testing/fixtures/recording-sender.js';
import { deliverOutboundJob } from './deliver-outbound.js';

describe('the job that delivers', () => {
  test('sends an event as soon as the write that it tells of is stored', async () => {
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

  test('sends to a quick endpoint while a slow one holds every place that it may have', async () => {
    const { deps, caller, sender } = await deliveringWorld(['https://slow.example/', 'https://quick.example/']);
    const held: (() => void)[] = [];
    const quick: OutgoingPost[] = [];
    let told = () => {};
    sender.answer = (post) => {
      if (post.url.includes('slow')) return new Promise<Sent>((resolve) => held.push(() => resolve({ status: 200 })));
      quick.push(post);
      told();
      return { status: 200 };
    };

    for (let n = 0; n < 100; n++) await ingest(deps, caller, { content: `event number ${n} of a hundred` });
    while (quick.length < 100) {
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }

    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThanOrEqual(4);
    for (const release of held) release();
  });
});

/** Endpoints that are told of new memories, and a queue that runs. */
async function deliveringWorld(urls: readonly string[]) {
  const sender = new RecordingSender();
  const { deps, caller } = await testWorld({ httpSender: sender });
  for (const url of urls) await createOutboundWebhook(deps, caller, { url, events: ['memory.ingested'] });
  await deps.jobs.start({ 'deliver-outbound': deliverOutboundJob(deps) });
  return { deps, caller, sender };
}
