import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemoryClient } from '../client.js';
import { UnavailableError } from '../errors.js';
import type { MemoryClientOptions, Retry } from '../options.js';
import type { AttemptReport, Logger } from './logging.js';

const TOKEN = 'msk_secret';
const CONTENT = 'a private sentence';
const overloaded = () =>
  Response.json({ error: CONTENT, code: 'service_unavailable' }, { status: 503, headers: { 'X-Request-Id': 'req-1' } });
const found = () => Response.json({ results: [{ content: CONTENT }] }, { headers: { 'X-Request-Id': 'req-2' } });

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

type Line = [level: string, message: string, report: AttemptReport];

/** Creates a logger that keeps its lines. */
function recorder(): { lines: Line[]; logger: Logger } {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, report: AttemptReport) => lines.push([level, message, report]);
  return { lines, logger: { warn: at('warn'), info: at('info'), debug: at('debug') } };
}

/** Creates a client that receives these responses in turn. */
function clientAnswering(answers: (() => Response)[], options: MemoryClientOptions): MemoryClient {
  const fetch = async () => answers.shift()?.() ?? Response.error();
  return new MemoryClient({ baseUrl: 'http://memory.test', token: TOKEN, maxRetryDelayMs: 1, fetch, ...options });
}

const search = (client: MemoryClient) => client.search({ query: CONTENT, filter: { match: { name: CONTENT } } });

describe('a client logs', () => {
  test('each attempt at the level debug, with status, delay and request id', async () => {
    const { lines, logger } = recorder();

    await search(clientAnswering([overloaded, found], { logger, logLevel: 'debug' }));

    expect(lines).toMatchObject([
      [
        'info',
        expect.stringMatching(/^memory-service: searchMemories attempt 1: 503 service_unavailable after \d+ ms/),
        {},
      ],
      [
        'debug',
        expect.stringMatching(/^memory-service: searchMemories attempt 2: 200 after \d+ ms, request req-2$/),
        {},
      ],
    ]);
    expect(lines.map(([, , report]) => report)).toEqual([
      {
        operation: 'searchMemories',
        attempt: 1,
        durationMs: expect.any(Number),
        status: 503,
        requestId: 'req-1',
        error: 'service_unavailable',
        delayMs: expect.any(Number),
      },
      { operation: 'searchMemories', attempt: 2, durationMs: expect.any(Number), status: 200, requestId: 'req-2' },
    ]);
  });

  test('neither the token nor content', async () => {
    const { lines, logger } = recorder();
    const network = () => {
      throw new Error(`${TOKEN} ${CONTENT}`);
    };
    const client = clientAnswering([network, overloaded, found, overloaded], { logger, logLevel: 'debug' });

    await search(client);
    await client.request('GET', `/api/memories/recent?filter=${CONTENT}`, { maxRetries: 0 }).catch(() => undefined);

    expect(lines).toHaveLength(4);
    for (const word of [TOKEN, CONTENT]) expect(JSON.stringify(lines)).not.toContain(word);
  });

  test.each([
    ['debug', ['info', 'warn', 'debug']],
    ['info', ['info', 'warn']],
    ['warn', ['warn']],
    ['off', []],
    [undefined, ['warn']],
  ] as const)('at the level %s only lines of %j', async (logLevel, levels) => {
    const { lines, logger } = recorder();
    const client = clientAnswering([overloaded, overloaded, found], { logger, logLevel, maxRetries: 1 });

    await search(client).catch(() => undefined);
    await search(client);

    expect(lines.map(([level]) => level)).toEqual(levels);
  });

  test('to standard error at the level of MEMORY_LOG, and nothing without it', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const others = (['log', 'info', 'debug', 'warn'] as const).map((name) => vi.spyOn(console, name).mockReturnValue());

    await search(clientAnswering([overloaded, found], {}));
    expect(printed).not.toHaveBeenCalled();
    vi.stubEnv('MEMORY_LOG', 'loud');
    await search(clientAnswering([found], {}));
    expect(printed).not.toHaveBeenCalled();
    vi.stubEnv('MEMORY_LOG', 'debug');
    await search(clientAnswering([found], {}));

    expect(printed.mock.calls).toEqual([[expect.stringMatching(/searchMemories attempt 1: 200/)]]);
    expect(others.map(({ mock }) => mock.calls)).toEqual(others.map(() => []));
  });
});

describe('onRetry', () => {
  test('is called before each retry, with its delay and the error', async () => {
    const retries: Retry[] = [];
    const client = clientAnswering([overloaded, overloaded, found], { onRetry: (retry) => retries.push(retry) });

    await search(client);

    expect(retries).toMatchObject([
      { operation: 'searchMemories', attempt: 1, delayMs: expect.any(Number), error: { requestId: 'req-1' } },
      { operation: 'searchMemories', attempt: 2 },
    ]);
    expect(retries[0]?.error).toBeInstanceOf(UnavailableError);
  });

  test('ends the call with what it throws', async () => {
    const onRetry = () => {
      throw new Error('enough');
    };

    await expect(search(clientAnswering([overloaded, found], { onRetry }))).rejects.toThrow('enough');
  });

  test('is not called when there is no retry', async () => {
    const onRetry = vi.fn();

    await search(clientAnswering([overloaded], { onRetry, maxRetries: 0 })).catch(() => undefined);

    expect(onRetry).not.toHaveBeenCalled();
  });
});
