import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ShareExceededError } from '../../../domain/fairness/owner.js';
import { EmbeddingUnavailableError } from '../../../ports/embedder.js';
import { ProviderAnswerError, ProviderStatusError, ProviderUnreachableError } from './provider-error.js';
import { ProviderGuard } from './provider-guard.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function newGuard(random = 0.5): ProviderGuard {
  return new ProviderGuard('test', () => random);
}

/** Runs one call of steps, the last of which repeats, and lets all its timers pass. */
async function run(guard: ProviderGuard, ...steps: (() => Promise<string>)[]) {
  const startedAt = Date.now();
  const tries: number[] = [];
  const call = guard.run(() => {
    const step = steps[Math.min(tries.length, steps.length - 1)]!;
    tries.push(Date.now() - startedAt);
    return step();
  }, undefined);
  const settled = call.then(
    (value) => ({ value, error: undefined, endedMs: Date.now() - startedAt }),
    (error: unknown) => ({ value: undefined, error, endedMs: Date.now() - startedAt }),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  return { ...(await settled), tries };
}

const ok = async () => 'ok';
const never = () => new Promise<string>(() => {});
const failing = (error: Error) => () => Promise.reject(error);
const status = (code: number, retryAfterMs?: number) => failing(new ProviderStatusError(code, retryAfterMs));

describe('a transient failure', () => {
  test.each([
    ['408', status(408)],
    ['429', status(429)],
    ['500', status(500)],
    ['503', status(503)],
    ['a broken connection', failing(new ProviderUnreachableError('ECONNRESET'))],
  ])('is tried again after a random pause: %s', async (_name, failure) => {
    const { value, tries } = await run(newGuard(0.5), failure, failure, ok);

    expect(value).toBe('ok');
    expect(tries).toEqual([0, 250, 750]);
  });

  test('is given up after two retries', async () => {
    const { error, tries } = await run(newGuard(0), status(503));

    expect(tries).toHaveLength(3);
    expect(error).toBeInstanceOf(EmbeddingUnavailableError);
    expect(error).toMatchObject({
      message: 'The embedding provider test answered with status 503',
      retryAfterSeconds: 5,
    });
  });

  test('is tried again when the provider says so', async () => {
    const { value, tries } = await run(newGuard(), status(429, 4_000), ok);

    expect(value).toBe('ok');
    expect(tries).toEqual([0, 4_000]);
  });

  test('is reported at once when the provider asks for more time than a call has', async () => {
    const { error, tries, endedMs } = await run(newGuard(), status(429, 20_500));

    expect(tries).toHaveLength(1);
    expect(endedMs).toBe(0);
    expect(error).toMatchObject({ retryAfterSeconds: 21 });
  });
});

describe('a failure that another try cannot mend', () => {
  test.each([
    ['400', status(400), /refused the request with status 400/],
    ['401', status(401), /refused the service's credentials with status 401/],
    ['a wrong answer', failing(new ProviderAnswerError('it is no JSON')), /gave a wrong answer: it is no JSON/],
  ])('is not tried again: %s', async (_name, failure, message) => {
    const { error, tries } = await run(newGuard(), failure);

    expect(tries).toHaveLength(1);
    expect(error).toBeInstanceOf(EmbeddingUnavailableError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });

  test('comes through as it is when it is no failure of the provider', async () => {
    const bug = new TypeError('x is not a function');

    const { error } = await run(newGuard(), failing(bug));

    expect(error).toBe(bug);
  });
});

describe('time', () => {
  test('ends a try after 10 s and the call after 15 s', async () => {
    const { error, tries, endedMs } = await run(newGuard(0.5), never);

    expect(tries).toEqual([0, 10_250]);
    expect(endedMs).toBe(15_000);
    expect(error).toMatchObject({ message: 'The embedding provider test did not answer in time' });
  });

  test('tells the try that it is over', async () => {
    const signals: AbortSignal[] = [];
    const call = newGuard().run((signal) => {
      signals.push(signal);
      return never();
    }, undefined);
    const settled = call.catch(() => undefined);

    await vi.advanceTimersByTimeAsync(9_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(signals[0]!.aborted).toBe(true);

    await vi.advanceTimersByTimeAsync(60_000);
    await settled;
  });
});

describe('many calls at once', () => {
  test('run four at a time for one tenant, wait up to 64, and are rejected beyond', async () => {
    const { guard, start, running, answerAll } = heldGuard();
    const accepted = Array.from({ length: 4 + 64 }, () => start('a'));

    await expect(start('a')).rejects.toThrow(new ShareExceededError('embeddingCalls', 'tenant', 64));
    expect(running).toHaveLength(4);
    expect(guard.calls.use).toEqual({ inUse: 4, waiting: 64, refused: 1 });

    await answerAll();
    expect(await Promise.all(accepted)).toHaveLength(68);
  });

  test('of one tenant do not delay the call of another', async () => {
    const { start, running, answerAll } = heldGuard();
    const slow = Array.from({ length: 4 + 64 }, () => start('a'));

    const other = start('b');
    await vi.advanceTimersByTimeAsync(0);

    expect(running).toEqual(['a', 'a', 'a', 'a', 'b']);
    await answerAll();
    await Promise.all([...slow, other]);
  });

  test('are served in turn by tenant while all eight places are in use', async () => {
    const { start, running, answerNext, answerAll } = heldGuard();
    const calls = ['a', 'b'].flatMap((tenant) => Array.from({ length: 10 }, () => start(tenant)));
    calls.push(start('c'));
    await vi.advanceTimersByTimeAsync(0);

    for (let answered = 0; answered < 3; answered += 1) await answerNext();

    expect(running.slice(8)).toEqual(['a', 'c', 'a']);
    await answerAll();
    await Promise.all(calls);
  });

  test('are rejected if their turn does not come within 10 s', async () => {
    const guard = newGuard();
    const calls = Array.from({ length: 8 }, () => guard.run(never, 'a').catch((error: unknown) => error));

    await vi.advanceTimersByTimeAsync(60_000);
    const results = await Promise.all(calls);

    expect(results.slice(0, 4)).toMatchObject(Array(4).fill({ name: 'EmbeddingUnavailableError' }));
    expect(results.slice(4)).toEqual(Array(4).fill(new ShareExceededError('embeddingCalls', 'tenant', 4, 10_000)));
  });

  test('of the service itself fail if their turn comes too late', async () => {
    const guard = newGuard();
    const slow = () => new Promise<string>((resolve) => setTimeout(resolve, 9_000, 'ok'));
    const calls = Array.from({ length: 24 }, () => guard.run(slow, undefined).catch((error: unknown) => error));

    await vi.advanceTimersByTimeAsync(60_000);
    const results = await Promise.all(calls);

    expect(results.slice(0, 8)).toEqual(Array(8).fill('ok'));
    expect(results.at(-1)).toMatchObject({ message: expect.stringMatching(/too slow/) });
  });
});

/** A guard whose calls end when the test answers them, and the tenants of the calls that have begun, in order. */
function heldGuard() {
  const guard = newGuard();
  const running: string[] = [];
  const answers: (() => void)[] = [];
  const start = (tenant: string) =>
    guard.run(() => {
      running.push(tenant);
      return new Promise<string>((resolve) => answers.push(() => resolve('ok')));
    }, tenant);
  const answerNext = async () => {
    answers.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  const answerAll = async () => {
    while (answers.length > 0) await answerNext();
  };
  return { guard, start, running, answerNext, answerAll };
}

describe('the breaker', () => {
  async function broken(): Promise<ProviderGuard> {
    const guard = newGuard(0);
    const tries = [...(await run(guard, status(503))).tries, ...(await run(guard, status(503))).tries];
    expect(tries).toHaveLength(5);
    return guard;
  }

  async function brokenJustNow(): Promise<ProviderGuard> {
    const guard = newGuard(0);
    for (let failures = 0; failures < 5; failures++) await guard.run(status(401), undefined).catch(() => undefined);
    return guard;
  }

  test('opens after five tries in a row have failed', async () => {
    await broken();
  });

  test('opens after five wrong answers in a row', async () => {
    const guard = newGuard();
    const lie = () => guard.run(failing(new ProviderAnswerError('it is no JSON')), undefined).catch(() => undefined);

    for (let answers = 0; answers < 4; answers++) await lie();
    expect(guard.status()).toBe('ok');
    await lie();

    expect(guard.status()).toBe('down');
  });

  test('keeps calls from a provider that it left alone', async () => {
    const guard = await brokenJustNow();

    expect(guard.status()).toBe('down');
    const { error, tries } = await run(guard, ok);

    expect(tries).toHaveLength(0);
    expect(error).toMatchObject({ message: expect.stringMatching(/failed repeatedly/), retryAfterSeconds: 5 });
  });

  test('lets one call try after 5 s, and closes when that succeeds', async () => {
    const guard = await brokenJustNow();

    await vi.advanceTimersByTimeAsync(4_999);
    expect(guard.status()).toBe('down');
    await vi.advanceTimersByTimeAsync(1);
    expect(guard.status()).toBe('degraded');

    expect((await run(guard, ok)).value).toBe('ok');
    expect(guard.status()).toBe('ok');
  });

  test('stays open when the call that tries fails', async () => {
    const guard = await brokenJustNow();
    await vi.advanceTimersByTimeAsync(5_000);

    await guard.run(status(401), undefined).catch(() => undefined);

    expect(guard.status()).toBe('down');
  });

  test('takes a success for the end of the failures', async () => {
    const guard = newGuard(0);
    const fail = () => guard.run(failing(new ProviderAnswerError('it is no JSON')), undefined).catch(() => undefined);

    for (let failures = 0; failures < 4; failures++) await fail();
    await guard.run(ok, undefined);
    for (let failures = 0; failures < 4; failures++) await fail();

    expect(guard.status()).toBe('ok');
  });

  test('does not open for requests that the provider refuses', async () => {
    const guard = newGuard();

    for (let failures = 0; failures < 10; failures++) await guard.run(status(400), undefined).catch(() => undefined);

    expect(guard.status()).toBe('ok');
  });
});
