import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { attempts } from '../../testing/adapter-suites/jobs/job-runs.js';
import { testApp } from '../../testing/app/test-app.js';
import { anIssue, aPush, PING, sha } from '../../testing/inbound/code-host.js';
import { ingestAll } from '../../testing/inbound/ingest-all.js';
import { Sender } from '../../testing/inbound/sender.js';
import { aCommentEvent, anIssueEvent } from '../../testing/inbound/tracker.js';

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

  test('keeps one memory for an issue up to date', async () => {
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

  test('accepts the headers that GitHub sends', async () => {
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
    ['an event of an unknown type', 'workflow_run', {}],
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

  test('answers 413 to more bytes than the code host ever sends', async () => {
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

  test('answers 401 to an event that was signed more than five minutes ago, and stores nothing of it', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');

    const replayed = await sender.deliver({ ...anIssueEvent('create'), webhookTimestamp: Date.now() - 6 * 60_000 });

    expect(replayed).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
    expect(await sender.deliveries()).toEqual([]);
  });

  test('accepts the headers that Linear sends', async () => {
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
