import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';
import { ingestAll } from '../../testing/inbound/ingest-all.js';
import { INBOUND_WEBHOOKS, Sender } from '../../testing/inbound/sender.js';
import { twoEvents } from '../../testing/inbound/two-events.js';

const DAY_US = 24 * 60 * 60 * 1_000_000;

describe.each(['codehost', 'tracker'] as const)('a delivery of a %s', (kind) => {
  const { payload, other } = twoEvents(kind);

  test('is a duplicate if its id or its body repeats, and is queued once', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    const first = await sender.deliver(payload, { deliveryId: 'one' });
    const again = await sender.deliver(payload, { deliveryId: 'one' });
    const sameId = await sender.deliver(other, { deliveryId: 'one' });
    const sameBody = await sender.deliver(payload, { deliveryId: 'two' });

    const statuses = [first, again, sameId, sameBody].map(({ body }) => body.status);
    expect(statuses).toEqual(['queued', 'duplicate', 'duplicate', 'duplicate']);
    expect(await app.deps.jobs.backlog()).toMatchObject([{ name: 'ingest-delivery', waiting: 1 }]);
  });

  test('is queued once if many copies arrive at the same time', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    const answers = await Promise.all(Array.from({ length: 12 }, () => sender.deliver(payload, { deliveryId: 'one' })));

    const statuses = answers.map(({ body }) => body.status);
    expect(statuses.filter((status) => status === 'queued')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(11);
  });

  test('is no duplicate of a delivery to another webhook', async () => {
    const app = await testApp();
    const [one, two] = [await Sender.register(app, kind), await Sender.register(app, kind)];
    await one.deliver(payload, { deliveryId: 'one' });

    const answer = await two.deliver(payload, { deliveryId: 'one' });

    expect(answer.body).toEqual({ status: 'queued' });
  });

  test('is recognized for 30 days', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const sender = await Sender.register(app, kind);
    const sent = () => ({ ...payload, webhookTimestamp: now / 1_000 });
    await sender.deliver(sent(), { deliveryId: 'one' });
    await ingestAll(app, 1);

    now += 30 * DAY_US;
    const inTime = await sender.deliver(sent(), { deliveryId: 'one' });
    now += 1;
    const later = await sender.deliver(sent(), { deliveryId: 'one' });

    expect([inTime.body.status, later.body.status]).toEqual(['duplicate', 'queued']);
  });

  test('is accepted after it was ignored, if its event has been chosen since', async () => {
    const app = await testApp();
    const [chosen, missing] = kind === 'codehost' ? ['push', 'issues'] : ['Issue', 'Comment'];
    const sender = await Sender.register(app, kind, { events: [missing] });
    const before = await sender.deliver(payload, { deliveryId: 'one' });
    await app.send('PATCH', `${INBOUND_WEBHOOKS}/${sender.id}`, { events: [chosen] });

    const after = await sender.deliver(payload, { deliveryId: 'one' });

    expect([before.body.status, after.body.status]).toEqual(['ignored', 'queued']);
  });

  test('is recognized by its body if it has no id, and is rejected if the id is malformed', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    const header = kind === 'codehost' ? 'x-code-host-delivery' : 'tracker-delivery';

    const first = await sender.deliver(payload, { headers: { [header]: undefined } });
    const again = await sender.deliver(payload, { headers: { [header]: undefined } });
    const long = await sender.deliver(other, { deliveryId: 'x'.repeat(257) });

    expect([first.body.status, again.body.status]).toEqual(['queued', 'duplicate']);
    expect(await sender.deliveries()).toMatchObject([{ deliveryId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }]);
    expect(long.status).toBe(422);
  });
});
