import { EventEmitter, once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { Embedder } from '../../ports/embedder.js';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

/** Expected events come within seconds; a busy machine may need longer. */
const PATIENT = { timeout: 60_000 };

describe('with the maximum of requests under way', () => {
  test('another gets 503 and Retry-After, but probes do not, and requests pass again when one has ended', async () => {
    const { embedder, release, waiting } = heldEmbedder();
    const app = await testApp({ embedder, limits: { requestsInFlight: 2 } });
    const held = ['a', 'b'].map((content) => app.send('POST', '/api/memories', { content }));
    await vi.waitFor(() => expect(waiting()).toBe(2), PATIENT);

    const over = await app.send('GET', '/api/memories/recent');
    const probe = await app.send('GET', '/health/ready');
    release();
    const done = await Promise.all(held);
    const after = await app.send('GET', '/api/memories/recent');

    expect(over).toMatchObject({ status: 503, body: { code: 'service_unavailable' }, headers: { 'retry-after': '1' } });
    // The rejected request counts too: the rate limit is checked before the body, and the body read before the turn.
    expect(app.rateLimiter.consumed).toHaveLength(4);
    expect(probe.status).toBe(200);
    expect([...done, after].map(({ status }) => status)).toEqual([201, 201, 200]);
  });

  test('rejected requests leave the count unchanged', async () => {
    const app = await testApp({ limits: { requestsInFlight: 1 } });

    const answers = [];
    for (let round = 0; round < 5; round += 1) {
      answers.push(await app.send('GET', '/api/memories/recent?limit=0'), await app.send('GET', '/nothing'));
    }

    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill([422, 404]).flat());
  });
});

describe('while the event loop runs late', () => {
  test('a caller with many requests under way gets 503 and Retry-After if others are there; those and probes do not', async () => {
    const { embedder, release, waiting } = heldEmbedder();
    let delayMs = 501;
    const app = await testApp({ embedder }, { eventLoopDelayMs: () => delayMs });
    const bystander = await foundOrganization(app.deps);
    const asBystander = { authorization: `Bearer ${bystander.token}` };
    const readRecent = (headers?: Record<string, string>) =>
      app.send('GET', '/api/memories/recent', undefined, headers);
    const held = Array.from({ length: 8 }, (_, index) =>
      app.send('POST', '/api/memories', { content: `number ${index}` }),
    );
    await vi.waitFor(() => expect(waiting()).toBe(8), PATIENT);

    const alone = await readRecent();
    const other = await readRecent(asBystander);
    const late = await readRecent();
    const probe = await app.send('GET', '/health/live');
    const otherAgain = await readRecent(asBystander);
    delayMs = 500;
    const inTime = await readRecent();
    release();
    const done = await Promise.all(held);

    expect(late).toMatchObject({ status: 503, body: { code: 'service_unavailable' }, headers: { 'retry-after': '1' } });
    expect(late.body.error).toBe(
      'Your organization already has 8 requests under way, and the service is overloaded: try again',
    );
    const passed = [alone, other, probe, otherAgain, inTime];
    expect(passed.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(done.map(({ status }) => status)).toEqual(Array(8).fill(201));
  });
});

/** Blocks every request that needs a vector until it is released. */
function heldEmbedder(): { embedder: Embedder; release: () => void; waiting: () => number } {
  const letters = new LetterEmbedder();
  const released = new EventEmitter();
  const promise = once(released, 'now');
  let count = 0;
  const embedder: Embedder = {
    fingerprint: letters.fingerprint,
    dimensions: letters.dimensions,
    semanticDedupeThreshold: letters.semanticDedupeThreshold,
    status: () => letters.status(),
    async embed(texts) {
      count += 1;
      await promise;
      return letters.embed(texts);
    },
  };
  return { embedder, release: () => void released.emit('now'), waiting: () => count };
}
