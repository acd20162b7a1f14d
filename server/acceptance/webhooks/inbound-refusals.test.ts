import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';
import { INBOUND_WEBHOOKS, Sender } from '../../testing/inbound/sender.js';
import { twoEvents } from '../../testing/inbound/two-events.js';

const DAY_US = 24 * 60 * 60 * 1_000_000;

describe.each(['codehost', 'tracker'] as const)('a delivery of a %s', (kind) => {
  const { payload, other } = twoEvents(kind);

  test('gets the same 401 whether the signature, the id or the webhook is wrong', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    const disabled = await Sender.register(app, kind);
    await app.send('PATCH', `${INBOUND_WEBHOOKS}/${disabled.id}`, { enabled: false });
    const removed = await Sender.register(app, kind);
    await app.send('DELETE', `${INBOUND_WEBHOOKS}/${removed.id}`);
    const stranger = await Sender.register(app, kind === 'codehost' ? 'tracker' : 'codehost');
    const header = kind === 'codehost' ? 'x-hub-signature-256' : 'tracker-signature';
    const send = (id: string) => app.send('POST', `/webhooks/${kind}/${id}`, payload, { authorization: undefined });

    const answers = [
      await sender.deliver(payload, { secret: 'not the secret' }),
      await sender.deliver(payload, { secret: disabled.secret }),
      await sender.deliver(payload, { headers: { [header]: undefined } }),
      await sender.deliver(payload, { headers: { [header]: '' } }),
      await sender.deliver(payload, { headers: { [header]: 'sha256=' } }),
      await sender.deliver('not even JSON', { secret: 'not the secret' }),
      await disabled.deliver(payload),
      await removed.deliver(payload),
      await send(stranger.id),
      await send(app.deps.newId()),
      await send('no-uuid'),
      await send("'%20OR%201=1"),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ code: 'invalid_signature' });
    expect(await sender.deliveries()).toEqual([]);
  });

  test('gets 400 for a signed body that is not JSON, and 415 for one with another content type', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    const broken = await sender.deliver('{"type":');
    const form = await sender.deliver(payload, { headers: { 'content-type': 'application/x-www-form-urlencoded' } });

    expect(broken).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    expect(form).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  test('gets 503 while the store is down, and is no duplicate afterwards', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    app.store.down = 'everything';
    const refused = await sender.deliver(payload, { deliveryId: 'one' });
    app.store.down = 'nothing';

    const answer = await sender.deliver(payload, { deliveryId: 'one' });

    expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(answer.body).toEqual({ status: 'queued' });
  });

  test('is accepted with the previous secret for a day after a rotation', async () => {
    // A day ago, so that a tracker event with the current time is still recent when it is sent.
    let now = Date.now() * 1_000 - DAY_US;
    const app = await testApp({ now: () => now });
    const sender = await Sender.register(app, kind);
    const { body } = await app.send('POST', `${INBOUND_WEBHOOKS}/${sender.id}/rotate-secret`);

    now += DAY_US - 1;
    const old = await sender.deliver(payload);
    const fresh = await sender.deliver(other, { secret: String(body.secret) });
    now += 1;
    const late = await sender.deliver(payload, { deliveryId: 'late' });

    expect([old.body.status, fresh.body.status]).toEqual(['queued', 'queued']);
    expect(late.status).toBe(401);
  });

  test('leaves neither content nor signature nor secret in the log', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    await sender.deliver(payload);
    await sender.deliver('{', { deliveryId: 'broken' });
    await sender.deliver(payload, { secret: 'not the secret' });

    const logged = JSON.stringify(app.logged);
    expect(logged).not.toContain(sender.secret);
    expect(logged).not.toContain('acme');
    expect(logged).not.toContain('sha256');
  });
});
