import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ingestDeliveryJob } from '../jobs/ingest-delivery.js';
import { anIssue, aPush, PING, sha } from '../testing/inbound/code-host.js';
import { Sender } from '../testing/inbound/sender.js';
import { aCommentEvent, anIssueEvent } from '../testing/inbound/tracker.js';
import { attempts } from '../testing/job-runs.js';
import { type TestApp, testApp } from '../testing/test-app.js';

const WEBHOOKS = '/api/organization/inbound-webhooks';
const DAY_US = 24 * 60 * 60 * 1_000_000;

describe('receiveCodeHostEvent', () => {
  test('answers 202 queued, and the commits are memories when the job has run', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'codehost');

    const answer = await sender.deliver(
      aPush([
        { id: sha(1), message: 'One' },
        { id: sha(2), message: 'Two' },
      ]),
      {
        deliveryId: 'd-1',
      },
    );
    await ingestAll(app, 1);

    expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } });
    const { results } = (await app.send('GET', '/api/memories/recent')).body as { results: object[] };
    expect(results).toMatchObject([
      { externalKey: `commit:${sha(2)}`, metadata: { source: 'codehost', project: 'acme/api', deliveryId: 'd-1' } },
      { externalKey: `commit:${sha(1)}`, metadata: { kind: 'commit' } },
    ]);
    expect(await sender.deliveries()).toMatchObject([
      {
        deliveryId: 'd-1',
        event: 'push',
        state: 'processed',
        requestId: answer.headers['x-request-id'],
        counts: { stored: 2, skipped: 0, rejected: 0, omitted: 0 },
      },
    ]);
  });

  test('keeps one memory of an issue up to date', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'codehost');
    await sender.deliver(anIssue('opened'), { event: 'issues' });
    await ingestAll(app, 1);
    const edited = anIssue('edited', { title: 'Deploys fail on Mondays', updated_at: '2026-03-03T00:00:00Z' });

    await Promise.all([attempts(app.deps.jobs, 1), sender.deliver(edited, { event: 'issues' })]);

    const { results } = (await app.send('GET', '/api/memories/recent')).body as { results: { content: string }[] };
    expect(results).toMatchObject([{ externalKey: 'issue:acme/api#42', metadata: { action: 'edited' } }]);
    expect(results[0]?.content).toContain('Mondays');
  });

  test('takes the headers that GitHub sends', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'codehost');

    const answer = await sender.deliver(aPush([{ id: sha(1) }]), {
      headers: {
        'x-code-host-event': undefined,
        'x-code-host-delivery': undefined,
        'x-github-event': 'push',
        'x-github-delivery': 'g-1',
        'user-agent': 'GitHub-Hookshot/044aadd',
      },
    });

    expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(await sender.deliveries()).toMatchObject([{ deliveryId: 'g-1', event: 'push' }]);
  });

  test.each([
    ['a ping', 'ping', PING],
    ['an event that was not chosen', 'issues', anIssue('opened')],
    ['an event that it never heard of', 'workflow_run', {}],
    ['a push without commits', 'push', aPush([], { deleted: true })],
  ])('answers 202 ignored to %s, and stores nothing of it', async (_, event, payload) => {
    const app = await testApp();
    const sender = await Sender.register(app, 'codehost', { events: ['push'] });

    const answer = await sender.deliver(payload, { event });

    expect(answer).toMatchObject({ status: 202, body: { status: 'ignored' } });
    expect(await sender.deliveries()).toMatchObject([{ event, state: 'ignored' }]);
    expect(await app.deps.jobs.backlog()).toEqual([]);
  });

  test('answers 422 to a delivery that does not name its event', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'codehost');

    const answer = await sender.deliver({}, { headers: { 'x-code-host-event': undefined } });

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'X-Code-Host-Event' }] } });
  });

  test('answers more bytes than the code host ever sends with 413', async () => {
    const app = await testApp({ limits: { codeHostBodyBytes: 2_000 } });
    const sender = await Sender.register(app, 'codehost');

    const answer = await sender.deliver(' '.repeat(2_001));

    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large', max: 2_000 } });
  });
});

describe('receiveTrackerEvent', () => {
  test('answers 200 queued, and issue and comment are memories when the jobs have run', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');

    const issue = await sender.deliver(anIssueEvent('create'), { deliveryId: 't-1' });
    const comment = await sender.deliver(aCommentEvent('create'));
    await ingestAll(app, 2);

    expect([issue, comment]).toMatchObject([
      { status: 200, body: { status: 'queued' } },
      { status: 200, body: { status: 'queued' } },
    ]);
    const { results } = (await app.send('GET', '/api/memories/recent')).body as { results: { metadata: object }[] };
    const kinds = results
      .map(({ metadata }) => metadata)
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(kinds).toMatchObject([
      { source: 'tracker', project: 'ENG', kind: 'comment' },
      { source: 'tracker', project: 'ENG', kind: 'issue', deliveryId: 't-1' },
    ]);
  });

  test('takes the headers that Linear sends', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');
    const body = JSON.stringify(anIssueEvent('create'));
    const signature = createHmac('sha256', sender.secret).update(body).digest('hex');

    const answer = await sender.deliver(body, {
      headers: {
        'tracker-signature': undefined,
        'tracker-delivery': undefined,
        'linear-signature': signature,
        'linear-delivery': 'l-1',
        'linear-event': 'Issue',
      },
    });

    expect(answer).toMatchObject({ status: 200, body: { status: 'queued' } });
    expect(await sender.deliveries()).toMatchObject([{ deliveryId: 'l-1', event: 'Issue' }]);
  });

  test('answers 200 ignored to a type that was not chosen', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker', { events: ['Issue'] });

    expect(await sender.deliver(aCommentEvent('create'))).toMatchObject({ status: 200, body: { status: 'ignored' } });
    expect(await sender.deliver({ type: 'Reaction' })).toMatchObject({ status: 200, body: { status: 'ignored' } });
  });

  test.each([[{}], [[]], [null], [7], ['Issue']])('answers 422 to %j, which names no type', async (payload) => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');

    const answer = await sender.deliver(JSON.stringify(payload));

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'type' }] } });
  });
});

describe.each(['codehost', 'tracker'] as const)('a delivery of a %s', (kind) => {
  const payload = kind === 'codehost' ? aPush([{ id: sha(1) }]) : anIssueEvent('create');
  const other = kind === 'codehost' ? aPush([{ id: sha(2) }]) : anIssueEvent('update');

  test('answers 401 in the same words to whatever is wrong with the signature, the id or the webhook', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    const disabled = await Sender.register(app, kind);
    await app.send('PATCH', `${WEBHOOKS}/${disabled.id}`, { enabled: false });
    const removed = await Sender.register(app, kind);
    await app.send('DELETE', `${WEBHOOKS}/${removed.id}`);
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

  test('is a duplicate under its id or with its body, and is queued once', async () => {
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

  test('is queued once though many copies come at the same moment', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    const answers = await Promise.all(Array.from({ length: 12 }, () => sender.deliver(payload, { deliveryId: 'one' })));

    const statuses = answers.map(({ body }) => body.status);
    expect(statuses.filter((status) => status === 'queued')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'duplicate')).toHaveLength(11);
  });

  test('is no duplicate of what another webhook brought', async () => {
    const app = await testApp();
    const [one, two] = [await Sender.register(app, kind), await Sender.register(app, kind)];
    await one.deliver(payload, { deliveryId: 'one' });

    const answer = await two.deliver(payload, { deliveryId: 'one' });

    expect(answer.body).toEqual({ status: 'queued' });
  });

  test('is known for 30 days', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const sender = await Sender.register(app, kind);
    await sender.deliver(payload, { deliveryId: 'one' });
    await ingestAll(app, 1);

    now += 30 * DAY_US;
    const inTime = await sender.deliver(payload, { deliveryId: 'one' });
    now += 1;
    const later = await sender.deliver(payload, { deliveryId: 'one' });

    expect([inTime.body.status, later.body.status]).toEqual(['duplicate', 'queued']);
  });

  test('may come again after it was ignored, when its event is chosen by then', async () => {
    const app = await testApp();
    const [chosen, missing] = kind === 'codehost' ? ['push', 'issues'] : ['Issue', 'Comment'];
    const sender = await Sender.register(app, kind, { events: [missing] });
    const before = await sender.deliver(payload, { deliveryId: 'one' });
    await app.send('PATCH', `${WEBHOOKS}/${sender.id}`, { events: [chosen] });

    const after = await sender.deliver(payload, { deliveryId: 'one' });

    expect([before.body.status, after.body.status]).toEqual(['ignored', 'queued']);
  });

  test('is known by its body where it has no id, and is refused where the id is no id', async () => {
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

  test('answers 400 to a signed body that is not JSON, and 415 to one that does not say so', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);

    const broken = await sender.deliver('{"type":');
    const form = await sender.deliver(payload, { headers: { 'content-type': 'application/x-www-form-urlencoded' } });

    expect(broken).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    expect(form).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  test('answers 503 while the store is out of reach, and is no duplicate afterwards', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, kind);
    app.store.down = 'everything';
    const refused = await sender.deliver(payload, { deliveryId: 'one' });
    app.store.down = 'nothing';

    const answer = await sender.deliver(payload, { deliveryId: 'one' });

    expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(answer.body).toEqual({ status: 'queued' });
  });

  test('is taken under the secret before a rotation for a day', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const sender = await Sender.register(app, kind);
    const { body } = await app.send('POST', `${WEBHOOKS}/${sender.id}/rotate-secret`);

    now += DAY_US - 1;
    const old = await sender.deliver(payload);
    const fresh = await sender.deliver(other, { secret: String(body.secret) });
    now += 1;
    const late = await sender.deliver(payload, { deliveryId: 'late' });

    expect([old.body.status, fresh.body.status]).toEqual(['queued', 'queued']);
    expect(late.status).toBe(401);
  });

  test('leaves nothing of its content, its signature or its secret in the log', async () => {
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

/** Runs the queue until so many deliveries have been through it. */
async function ingestAll(app: TestApp, count: number): Promise<void> {
  const ended = attempts(app.deps.jobs, count);
  await app.deps.jobs.start({ 'ingest-delivery': ingestDeliveryJob(app.deps) });
  await ended;
}
