import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MemoryClient } from './client.js';
import { MemoryConnectionError, NotFoundError, RateLimitedError, UnavailableError } from './errors.js';
import type { MemoryClientOptions } from './options.js';
import { retryDelayMs } from './retry.js';

const BASE_URL = 'http://memory.test';
const ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const MEMORY = { id: ID, content: 'a', metadata: {}, createdAt: 'then', updatedAt: 'then', outcome: 'created' };

const limited = (headers: Record<string, string> = {}) =>
  HttpResponse.json({ error: 'slow down', code: 'rate_limited' }, { status: 429, headers });
const overloaded = () => HttpResponse.json({ error: 'overloaded', code: 'service_unavailable' }, { status: 503 });
const gateway = (status: number) => new HttpResponse('<html>', { status });

const network = setupServer();
beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  network.resetHandlers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => network.close());

/** Answers every request in turn, the last answer for ever, and keeps what was sent. */
function answering(...answers: (() => Response)[]): Request[] {
  const requests: Request[] = [];
  network.use(
    http.all(`${BASE_URL}/*`, ({ request }) => {
      requests.push(request.clone());
      return (answers.length > 1 ? answers.shift() : answers[0])?.();
    }),
  );
  return requests;
}

/** Lets whatever needs no timer get as far as it can. */
async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

/** Lets fake time pass until a call is settled. */
async function settle(call: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  call.then(done, done);
  while (!isSettled) {
    await untilQuiet();
    await vi.advanceTimersByTimeAsync(25);
  }
}

function client(options: MemoryClientOptions = {}): MemoryClient {
  return new MemoryClient({ baseUrl: BASE_URL, token: 'msk_test', maxRetryDelayMs: 1, ...options });
}

describe('a call whose answer is lost', () => {
  test.each([
    ['a cut connection', () => HttpResponse.error()],
    ['a 502 of something on the way', () => gateway(502)],
    ['a 503 of something on the way', () => gateway(503)],
    ['a 504 of something on the way', () => gateway(504)],
  ])('is sent again after %s, the same to the letter', async (_, lost) => {
    const requests = answering(lost, () => HttpResponse.json(MEMORY));

    const written = await client().ingest({ content: 'a', metadata: { kind: 'note' } });

    expect(written.id).toBe(ID);
    const bodies = await Promise.all(requests.map((request) => request.text()));
    expect(bodies).toEqual([bodies[0], bodies[0]]);
  });

  test('is given up after the tries that the client has', async () => {
    const requests = answering(() => HttpResponse.error());

    await expect(client({ maxRetries: 3 }).recent()).rejects.toThrow(MemoryConnectionError);

    expect(requests).toHaveLength(4);
  });

  test('is not sent again where the call says so', async () => {
    const requests = answering(() => HttpResponse.error());

    await expect(client().search({ query: 'a' }, { maxRetries: 0 })).rejects.toThrow(MemoryConnectionError);

    expect(requests).toHaveLength(1);
  });

  test('counts as done when it was a delete and the memory is gone', async () => {
    answering(
      () => HttpResponse.error(),
      () => HttpResponse.json({ error: 'Not found' }, { status: 404 }),
    );

    const { response } = await client().delete(ID).withResponse();

    expect(response.status).toBe(404);
  });

  test.each([502, 503, 504])('is not sent again where a second time would do it twice: %i', async (status) => {
    const requests = answering(() => gateway(status));

    const created = client().tokens.create({ name: 'ci', abilities: ['memory:search'] });

    await expect(created).rejects.toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  test('is not sent again where a second time would do it twice: a cut connection', async () => {
    const requests = answering(() => HttpResponse.error());

    const created = client().tokens.create({ name: 'ci', abilities: ['memory:search'] });

    await expect(created).rejects.toThrow(MemoryConnectionError);
    expect(requests).toHaveLength(1);
  });

  test('does not make up a memory that was read', async () => {
    answering(
      () => HttpResponse.error(),
      () => HttpResponse.json({ error: 'Not found' }, { status: 404 }),
    );

    await expect(client().get(ID)).rejects.toThrow(NotFoundError);
  });
});

describe('a call that is refused for now', () => {
  test.each([
    ['429', limited],
    ['503', overloaded],
  ])('is sent again after a %s of the service', async (_, refusal) => {
    const requests = answering(refusal, refusal, () => HttpResponse.json(MEMORY));

    await client().update(ID, { content: 'b' });

    expect(requests).toHaveLength(3);
  });

  test('is sent again even where twice would be wrong, for it was not carried out', async () => {
    const requests = answering(overloaded, limited, () => HttpResponse.json({ token: 'msk_new' }, { status: 201 }));

    await client().tokens.create({ name: 'ci', abilities: ['memory:search'] });

    expect(requests).toHaveLength(3);
  });

  test('that is a delete does not count as done when the memory was never there', async () => {
    answering(overloaded, () => HttpResponse.json({ error: 'Not found' }, { status: 404 }));

    await expect(client().delete(ID)).rejects.toThrow(NotFoundError);
  });

  test('is not sent again when the month is used up', async () => {
    const body = { error: 'no', code: 'quota_exceeded', resetsAt: '2026-04-01T00:00:00.000000Z' };
    const requests = answering(() => HttpResponse.json(body, { status: 429 }));

    await expect(client().ingest({ content: 'a' })).rejects.toThrow(RateLimitedError);

    expect(requests).toHaveLength(1);
  });

  test('is not sent again when the wait is longer than the client waits', async () => {
    const requests = answering(() => limited({ 'Retry-After': '61' }));

    const call = client({ maxRetryDelayMs: 60_000 }).ingest({ content: 'a' });

    await expect(call).rejects.toMatchObject({ retryAfter: 61 });
    expect(requests).toHaveLength(1);
  });
});

test.each([400, 401, 402, 403, 404, 409, 413, 415, 422, 500])('a %i is final', async (status) => {
  const requests = answering(() => HttpResponse.json({ error: 'no', code: 'why' }, { status }));

  await expect(client().ingest({ content: 'a' })).rejects.toMatchObject({ status });

  expect(requests).toHaveLength(1);
});

test('the health of the service is asked for once', async () => {
  const requests = answering(overloaded);

  await expect(client().health.ready()).rejects.toThrow(UnavailableError);

  expect(requests).toHaveLength(1);
});

describe('the wait before another try', () => {
  const failure = new MemoryConnectionError('no answer');

  test('doubles from half a second to eight, of which at least half is waited', () => {
    const longest = vi.spyOn(Math, 'random').mockReturnValue(1);
    expect([1, 2, 3, 4, 5, 6, 40].map((tried) => retryDelayMs(failure, tried, 60_000))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
    ]);

    longest.mockReturnValue(0);
    expect([1, 2, 9].map((tried) => retryDelayMs(failure, tried, 60_000))).toEqual([250, 500, 4_000]);
  });

  test('is what the service asks for, and up to a second more', async () => {
    const error = new RateLimitedError({ status: 429, message: 'no', details: [], body: {}, retryAfter: 7 });

    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5);

    expect([retryDelayMs(error, 1, 60_000), retryDelayMs(error, 1, 60_000)]).toEqual([7_000, 7_500]);
    expect(retryDelayMs(error, 1, 6_999)).toBeUndefined();
  });

  test('passes before the next request is sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const answers = [limited({ 'Retry-After': '7' }), HttpResponse.json(MEMORY)];
    const fetch = vi.fn(async () => answers.shift() ?? Response.error());
    const call = client({ maxRetryDelayMs: 60_000, fetch }).get(ID);

    await untilQuiet();
    await vi.advanceTimersByTimeAsync(6_999);
    await untilQuiet();
    expect(fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);

    expect((await call).id).toBe(ID);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends when the caller ends the call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const fetch = vi.fn(async () => limited({ 'Retry-After': '7' }));
    const call = client({ maxRetryDelayMs: 60_000, fetch }).get(ID, {}, { signal: controller.signal });
    call.catch(() => undefined);

    await untilQuiet();
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort(reason);

    await expect(call).rejects.toBe(reason);
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the time for one try', () => {
  /** Never answers, until it is ended. */
  const silence: typeof fetch = async (input) => {
    const { signal } = input as Request;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  };

  test('ends one that is not answered, and another is made', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answers = [silence, async () => Response.json(MEMORY)];
    const fetch: typeof globalThis.fetch = async (...request) => (answers.shift() ?? silence)(...request);
    const call = client({ timeoutMs: 100, fetch }).get(ID);

    await settle(call);

    expect((await call).id).toBe(ID);
  });

  test('is told by the error when no try was answered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const call = client({ fetch: silence }).get(ID, {}, { timeoutMs: 50, maxRetries: 1 });

    await settle(call);

    await expect(call).rejects.toThrow('within 50 ms');
    await expect(call).rejects.toMatchObject({ name: 'MemoryTimeoutError' });
  });
});
