import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MemoryClient } from '../client.js';
import { MemoryConnectionError, NotFoundError, RateLimitedError, UnavailableError } from '../errors.js';
import type { MemoryClientOptions } from '../options.js';
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

/** Returns these responses in turn, the last one repeatedly, and records the requests. */
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

/** Lets everything that needs no timer complete. */
async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

/** Advances fake time until a call is settled. */
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

describe('a call whose response is lost', () => {
  test.each([
    ['a cut connection', () => HttpResponse.error()],
    ['a 502 of a proxy', () => gateway(502)],
    ['a 503 of a proxy', () => gateway(503)],
    ['a 504 of a proxy', () => gateway(504)],
  ])('is retried with the same body after %s', async (_, lost) => {
    const requests = answering(lost, () => HttpResponse.json(MEMORY));

    const written = await client().ingest({ content: 'a', metadata: { kind: 'note' } });

    expect(written.id).toBe(ID);
    const bodies = await Promise.all(requests.map((request) => request.text()));
    expect(bodies).toEqual([bodies[0], bodies[0]]);
  });

  test('fails after the maximum number of retries', async () => {
    const requests = answering(() => HttpResponse.error());

    await expect(client({ maxRetries: 3 }).recent()).rejects.toThrow(MemoryConnectionError);

    expect(requests).toHaveLength(4);
  });

  test('is not retried if the options of the call disable it', async () => {
    const requests = answering(() => HttpResponse.error());

    await expect(client().search({ query: 'a' }, { maxRetries: 0 })).rejects.toThrow(MemoryConnectionError);

    expect(requests).toHaveLength(1);
  });

  test('succeeds if it is a delete and the retry finds no memory', async () => {
    answering(
      () => HttpResponse.error(),
      () => HttpResponse.json({ error: 'Not found' }, { status: 404 }),
    );

    const { response } = await client().delete(ID).withResponse();

    expect(response.status).toBe(404);
  });

  test.each([502, 503, 504])('is not retried after a %i if it would take effect twice', async (status) => {
    const requests = answering(() => gateway(status));

    const created = client().tokens.create({ name: 'ci', abilities: ['memory:search'] });

    await expect(created).rejects.toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  test('is not retried after a cut connection if it would take effect twice', async () => {
    const requests = answering(() => HttpResponse.error());

    const created = client().tokens.create({ name: 'ci', abilities: ['memory:search'] });

    await expect(created).rejects.toThrow(MemoryConnectionError);
    expect(requests).toHaveLength(1);
  });

  test('fails with a 404 if it is a read', async () => {
    answering(
      () => HttpResponse.error(),
      () => HttpResponse.json({ error: 'Not found' }, { status: 404 }),
    );

    await expect(client().get(ID)).rejects.toThrow(NotFoundError);
  });
});

describe('a call that is rejected temporarily', () => {
  test.each([
    ['429', limited],
    ['503', overloaded],
  ])('is retried after a %s of the service', async (_, refusal) => {
    const requests = answering(refusal, refusal, () => HttpResponse.json(MEMORY));

    await client().update(ID, { content: 'b' });

    expect(requests).toHaveLength(3);
  });

  test('is retried even if it must not take effect twice, since the service did nothing', async () => {
    const requests = answering(overloaded, limited, () => HttpResponse.json({ token: 'msk_new' }, { status: 201 }));

    await client().tokens.create({ name: 'ci', abilities: ['memory:search'] });

    expect(requests).toHaveLength(3);
  });

  test('fails with a 404 if it is a delete of an unknown memory', async () => {
    answering(overloaded, () => HttpResponse.json({ error: 'Not found' }, { status: 404 }));

    await expect(client().delete(ID)).rejects.toThrow(NotFoundError);
  });

  test('is not retried if the monthly cap is used up', async () => {
    const body = { error: 'no', code: 'quota_exceeded', resetsAt: '2026-04-01T00:00:00.000000Z' };
    const requests = answering(() => HttpResponse.json(body, { status: 429 }));

    await expect(client().ingest({ content: 'a' })).rejects.toThrow(RateLimitedError);

    expect(requests).toHaveLength(1);
  });

  test('is not retried if Retry-After exceeds maxRetryDelayMs', async () => {
    const requests = answering(() => limited({ 'Retry-After': '61' }));

    const call = client({ maxRetryDelayMs: 60_000 }).ingest({ content: 'a' });

    await expect(call).rejects.toMatchObject({ retryAfter: 61 });
    expect(requests).toHaveLength(1);
  });
});

test.each([400, 401, 402, 403, 404, 409, 413, 415, 422, 500])('a %i is not retried', async (status) => {
  const requests = answering(() => HttpResponse.json({ error: 'no', code: 'why' }, { status }));

  await expect(client().ingest({ content: 'a' })).rejects.toMatchObject({ status });

  expect(requests).toHaveLength(1);
});

test('a health check is not retried', async () => {
  const requests = answering(overloaded);

  await expect(client().health.ready()).rejects.toThrow(UnavailableError);

  expect(requests).toHaveLength(1);
});

describe('the delay before a retry', () => {
  const failure = new MemoryConnectionError('no answer');

  test('doubles from 0.5 s to 8 s, less a jitter of up to half', () => {
    const longest = vi.spyOn(Math, 'random').mockReturnValue(1);
    expect([1, 2, 3, 4, 5, 6, 40].map((tried) => retryDelayMs(failure, tried, 60_000))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
    ]);

    longest.mockReturnValue(0);
    expect([1, 2, 9].map((tried) => retryDelayMs(failure, tried, 60_000))).toEqual([250, 500, 4_000]);
  });

  test('is the Retry-After of the service, plus up to a second', async () => {
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

  test('ends when the caller aborts the call', async () => {
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

describe('the timeout of an attempt', () => {
  /** Never responds, until it is aborted. */
  const silence: typeof fetch = async (input) => {
    const { signal } = input as Request;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  };

  test('ends an attempt without a response, and the call is retried', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answers = [silence, async () => Response.json(MEMORY)];
    const fetch: typeof globalThis.fetch = async (...request) => (answers.shift() ?? silence)(...request);
    const call = client({ timeoutMs: 100, fetch }).get(ID);

    await settle(call);

    expect((await call).id).toBe(ID);
  });

  test('is in the error if no attempt got a response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const call = client({ fetch: silence }).get(ID, {}, { timeoutMs: 50, maxRetries: 1 });

    await settle(call);

    await expect(call).rejects.toThrow('within 50 ms');
    await expect(call).rejects.toMatchObject({ name: 'MemoryTimeoutError' });
  });
});
