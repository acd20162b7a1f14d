import { describe, expect, test } from 'vitest';
import { storeRefusals } from '../../services/inbound/inbound-refusals.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { INBOUND_WEBHOOKS, Sender } from '../../testing/inbound/sender.js';
import { twoEvents } from '../../testing/inbound/two-events.js';

describe.each(['codehost', 'tracker'] as const)('the refusals of a %s', (kind) => {
  const { payload } = twoEvents(kind);

  test('are counted with the latest reason, and stored in one write', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    expect(await refusalsOf(app, sender)).toEqual({ count: 0 });

    await sender.deliver(payload, { secret: 'not the secret' });
    await sender.deliver(payload, { secret: 'not the secret' });
    expect(await refusalsOf(app, sender)).toEqual(counted(2, 'signature'));
    await sender.deliver('{"type":');
    expect(await refusalsOf(app, sender)).toEqual(counted(3, 'body'));
    await app.send('PATCH', `${INBOUND_WEBHOOKS}/${sender.id}`, { enabled: false });
    await sender.deliver(payload);
    expect(await refusalsOf(app, sender)).toEqual(counted(4, 'disabled'));

    const before = await app.deps.store.inbound.findWebhook(sender.id);
    await storeRefusals(app.deps);
    const after = await app.deps.store.inbound.findWebhook(sender.id);
    expect(before).not.toHaveProperty('refusals');
    expect(after?.refusals).toMatchObject({ count: 4, lastReason: 'disabled' });
    expect(await refusalsOf(app, sender)).toEqual(counted(4, 'disabled'));
  });

  test('include bodies of a wrong type or size, and no accepted request', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    expect((await sender.deliver(payload)).status).toBeLessThan(300);
    expect(await refusalsOf(app, sender)).toEqual({ count: 0 });
    await sender.deliver(payload, { headers: { 'content-type': 'text/plain' } });

    expect(await refusalsOf(app, sender)).toEqual(counted(1, 'body'));
  });

  test('are not counted for a webhook of another kind, or for unknown ones', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    const other = kind === 'codehost' ? 'tracker' : 'codehost';

    await app.send('POST', `/webhooks/${other}/${sender.id}`, payload, { authorization: undefined });
    await app.send('POST', `/webhooks/${kind}/${app.deps.newId()}`, payload, { authorization: undefined });

    expect(await refusalsOf(app, sender)).toEqual({ count: 0 });
  });
});

test('an event that a tracker signed long ago is counted as too old', async () => {
  const clock = { now: Date.now() * 1_000 };
  const app = await testApp({ now: () => clock.now });
  const sender = await Sender.register(app, 'tracker');
  const { payload } = twoEvents('tracker');
  const old = { ...(payload as object), webhookTimestamp: clock.now / 1_000 - 6 * 60_000 };

  const answer = await sender.deliver(old);

  expect(answer.status).toBe(401);
  expect(await refusalsOf(app, sender)).toEqual(counted(1, 'too_old'));
});

test('inbound deliveries are listed by state', async () => {
  const app = await testApp();
  const sender = await Sender.register(app, 'codehost');
  const { payload } = twoEvents('codehost');
  await sender.deliver(payload);
  const path = `${INBOUND_WEBHOOKS}/${sender.id}/deliveries`;

  const queued = await app.send('GET', `${path}?state=queued`);
  const failed = await app.send('GET', `${path}?state=failed`);

  expect(queued.body).toMatchObject({ inboundDeliveries: [{ state: 'queued' }] });
  expect(failed.body).toMatchObject({ inboundDeliveries: [] });
  expect((await app.send('GET', `${path}?state=lost`)).status).toBe(422);
});

function counted(count: number, lastReason: string) {
  return { count, lastAt: expect.any(String), lastReason };
}

/** Returns the refusals of a webhook, which must be the same in the list. */
async function refusalsOf(app: TestApp, { id }: Sender): Promise<unknown> {
  const { body } = await app.send('GET', `${INBOUND_WEBHOOKS}/${id}`);
  const { body: list } = await app.send('GET', INBOUND_WEBHOOKS);
  const { refusals } = body as { refusals: unknown };
  expect((list as { inboundWebhooks: unknown[] }).inboundWebhooks).toMatchObject([{ refusals }]);
  return refusals;
}
