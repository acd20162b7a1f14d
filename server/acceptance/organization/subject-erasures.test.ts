import { describe, expect, test } from 'vitest';
import { jobHandlers } from '../../jobs/handlers.js';
import { member, type TestApp, testApp } from '../../testing/app/test-app.js';

const ERASURES = '/api/organization/subject-erasures';
const MEMORIES = '/api/memories';

async function appWithSubjects(subjectKeyType: 'string' | 'integer' = 'string'): Promise<TestApp> {
  const app = await testApp();
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType });
  return app;
}

describe('eraseSubject', () => {
  test('answers at once, and is done when its job has ended', async () => {
    const app = await appWithSubjects();
    const about = await app.send('POST', MEMORIES, { content: 'Ana likes tea.', subjectKey: 'ana' });
    const other = await app.send('POST', MEMORIES, { content: 'Ben likes coffee.', subjectKey: 'ben' });

    const asked = await app.send('POST', ERASURES, { subjectKey: 'ana' });
    const ended = new Promise<void>((resolve) => {
      app.deps.jobs.onFinished(({ name, outcome }) => name === 'erase-subject' && outcome === 'done' && resolve());
    });
    await app.deps.jobs.start(jobHandlers(app.deps));
    await ended;

    const receipt = await app.send('GET', `${ERASURES}/${asked.body.id}`);
    const [gone, kept] = await Promise.all(
      [about, other].map(({ body }) => app.send('GET', `${MEMORIES}/${body.id}?includeDeleted=true`)),
    );
    expect(asked).toMatchObject({ status: 202, body: { status: 'running', subjectKey: 'ana' } });
    expect(receipt).toMatchObject({
      status: 200,
      body: { id: asked.body.id, status: 'done', counts: { memories: 1 } },
    });
    expect(receipt.text).not.toContain('ana');
    expect([gone?.status, kept?.status]).toEqual([404, 200]);
  });

  test('delays writes about the subject', async () => {
    const app = await appWithSubjects();
    await app.send('POST', ERASURES, { subjectKey: 'ana' });

    const refused = await app.send('POST', MEMORIES, { content: 'Ana likes tea.', subjectKey: 'ana' });

    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
      headers: { 'retry-after': '5' },
    });
  });

  test('accepts only a subject key of the organization’s type', async () => {
    const app = await appWithSubjects('integer');

    const wrong = await app.send('POST', ERASURES, { subjectKey: 'ana' });
    const right = await app.send('POST', ERASURES, { subjectKey: 42 });
    const missing = await app.send('POST', ERASURES, {});

    expect(wrong).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
    expect(right).toMatchObject({ status: 202, body: { subjectKey: 42 } });
    expect(missing).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  test('requires an owner', async () => {
    const app = await appWithSubjects();
    const { headers } = await member(app, 'member', ['*']);

    expect(await app.send('POST', ERASURES, { subjectKey: 'ana' }, headers)).toMatchObject({
      status: 403,
      body: { code: 'owner_required' },
    });
  });

  test('is audited without the subject', async () => {
    const app = await appWithSubjects();
    const { body: erasure } = await app.send('POST', ERASURES, { subjectKey: 'ana' });

    const { body, text } = await app.send('GET', '/api/organization/audit-events?action=subject.erase');

    expect(body.auditEvents).toMatchObject([{ action: 'subject.erase', metadata: { targetId: erasure.id } }]);
    expect(text).not.toContain('"ana"');
  });
});

describe('getSubjectErasure', () => {
  test('answers 404 for an unknown erasure, and requires an owner', async () => {
    const app = await appWithSubjects();
    const { body } = await app.send('POST', ERASURES, { subjectKey: 'ana' });
    const { headers } = await member(app, 'member', ['*']);

    expect(await app.send('GET', `${ERASURES}/no-uuid`)).toMatchObject({ status: 404, body: { error: 'Not found' } });
    expect(await app.send('GET', `${ERASURES}/${body.id}`, undefined, headers)).toMatchObject({ status: 403 });
  });
});
