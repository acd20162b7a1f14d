import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const NO_CREDENTIAL = { authorization: undefined };

describe('getLiveness', () => {
  test('answers 200 without a credential, whatever the query string', async () => {
    const app = await testApp();

    const answer = await app.send('GET', '/health/live?probe=1&probe=%zz', undefined, NO_CREDENTIAL);

    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test('answers 200 while the store is down', async () => {
    const app = await testApp();
    app.store.down = 'everything';

    const answer = await app.send('GET', '/health/live');

    expect(answer.status).toBe(200);
  });
});

describe('getReadiness', () => {
  test('answers 200 while all parts work', async () => {
    const app = await testApp();

    const answer = await app.send('GET', '/health/ready', undefined, NO_CREDENTIAL);

    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', checks: { store: { status: 'ok' } } } });
  });

  test('answers 200 degraded while nothing can be embedded', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    embedder.down = true;

    const answer = await app.send('GET', '/health/ready');

    expect(answer).toMatchObject({ status: 200, body: { status: 'degraded', checks: { store: { status: 'ok' } } } });
  });

  test('answers 200 degraded while an organization has vectors of another embedder', async () => {
    const app = await testApp();
    app.lifecycle.embeddedOtherwise = 1;

    const answer = await app.send('GET', '/health/ready');

    const embedding = { status: 'degraded', detail: '1 organization must be re-embedded' };
    expect(answer).toMatchObject({ status: 200, body: { checks: { embedding } } });
  });

  test('answers 503 while the store is down', async () => {
    const app = await testApp();
    app.store.down = 'everything';

    const answer = await app.send('GET', '/health/ready');

    expect(answer).toMatchObject({ status: 503, body: { status: 'down', checks: { store: { status: 'down' } } } });
  });

  test('answers 503 if the store does not answer within 5 s', async () => {
    const app = await testApp();
    const probe = vi.spyOn(app.deps.store, 'probe').mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = app.send('GET', '/health/ready');
    while (probe.mock.calls.length === 0) await setImmediate();

    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    const answer = await asked;

    const detail = 'the store does not answer within 5 s';
    expect(answer).toMatchObject({ status: 503, body: { checks: { store: { status: 'down', detail } } } });
  });

  test('answers 503 until the start has finished', async () => {
    const app = await testApp();
    app.lifecycle.starting = true;

    const answer = await app.send('GET', '/health/ready');

    expect(answer).toMatchObject({
      status: 503,
      body: { status: 'down', checks: { store: { status: 'down', detail: 'the service is starting' } } },
    });
  });

  test('answers 503 as soon as a shutdown begins, while other requests finish and connections close', async () => {
    const app = await testApp();
    app.lifecycle.stopping = true;

    const ready = await app.send('GET', '/health/ready');
    const other = await app.send('GET', '/api/memories/recent');

    expect(ready).toMatchObject({ status: 503, body: { status: 'down' } });
    expect(other).toMatchObject({ status: 200, headers: { connection: 'close' } });
  });
});
