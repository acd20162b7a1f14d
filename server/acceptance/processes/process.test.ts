import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { credentialsPath } from '../../config/credentials.js';
import { type Ended, runProgram } from '../../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const UNLIMITED = { SERVICE_RATE_LIMIT_INGEST: '1000000', SERVICE_RATE_LIMIT_SEARCH: '1000000' };

describe('the server process', () => {
  test('writes the credentials of its first start for their owner alone, and keeps them', async () => {
    const dataDir = await folder();
    const first = await start(dataDir);
    await first.stop('SIGTERM');

    const second = await start(dataDir);

    expect((await stat(credentialsPath(dataDir))).mode & 0o777).toBe(0o600);
    expect(second.credentials).toEqual({ ...first.credentials, baseUrl: second.url });
    await expect(new MemoryClient(second.credentials).stats()).resolves.toMatchObject({ meta: { total: 0 } });
  });

  test('accepts a user of an application as a subject from its first start on', async () => {
    const server = await start(await folder());
    const user = new MemoryClient(server.credentials).forSubject('user-1');

    await user.ingest({ content: 'Prefers tea.' });

    expect((await user.search({ query: 'tea' })).results).toMatchObject([{ subjectKey: 'user-1' }]);
  });

  test('has every memory that it acknowledged, however it is killed', async () => {
    const dataDir = await folder();
    const acknowledged: { id: string; content: string }[] = [];
    for (let round = 0; round < 4; round++) {
      const server = await start(dataDir);
      const client = new MemoryClient(server.credentials);
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; ; n++) {
          const content = `round ${round} writer ${writer} memory ${n}`;
          acknowledged.push({ id: (await client.ingest({ content })).id, content });
        }
      });
      const ended = Promise.allSettled(writers);
      while (acknowledged.length < (round + 1) * 60) await new Promise(setImmediate);
      await server.stop('SIGKILL');
      await ended;
    }

    const server = await start(dataDir);
    const client = new MemoryClient(server.credentials);
    const stored = new Map<string, string>();
    for await (const { id, content } of client.export({ limit: 500 })) stored.set(id, content);
    expect(acknowledged.filter(({ id, content }) => stored.get(id) !== content)).toEqual([]);
    for (const { id, content } of acknowledged.slice(-20)) {
      expect((await client.search({ query: content, limit: 1 })).results[0]?.id).toBe(id);
    }
  });

  test('finishes the requests under way when it is told to stop, and exits with 0', async () => {
    const server = await start(await folder());
    const { status, stopped } = await stopDuring(server, JSON.stringify({ content: 'the last memory' }));

    expect(status).toBe(201);
    expect(await stopped).toBe(0);
  });

  test('refuses to start on a data folder that another process uses, and says what to do', async () => {
    const dataDir = await folder();
    await start(dataDir);

    const { code, errors } = await run({ SERVICE_DATA_DIR: dataDir, PORT: '0' });

    expect(code).toBe(1);
    expect(errors).toContain(dataDir);
    expect(errors).not.toContain('    at ');
  });

  test('refuses to start on wrong configuration or data, and says what to do instead of printing a stack', async () => {
    const server = await start(await folder());
    const file = join(await folder(), 'file');
    await writeFile(file, 'x');
    const damaged = await folder();
    await writeFile(join(damaged, 'memory.db'), 'not a database '.repeat(1_000));
    const unreadable = await folder();
    await (await start(unreadable)).stop('SIGTERM');
    await writeFile(credentialsPath(unreadable), '{');

    const refusals = [
      await run({ SERVICE_DATA_DIR: await folder(), PORT: new URL(server.url).port }),
      await run({ SERVICE_DATA_DIR: await folder(), PORT: 'eighty', APP_ENV: 'production' }),
      await run({ SERVICE_DATA_DIR: file, PORT: '0' }),
      await run({ SERVICE_DATA_DIR: damaged, PORT: '0' }),
      await run({
        SERVICE_DATA_DIR: await folder(),
        PORT: '0',
        SERVICE_EMBEDDING_PROVIDER: 'voyage',
        VOYAGE_API_KEY: '',
      }),
      await run({ SERVICE_DATA_DIR: unreadable, PORT: '0' }),
    ];

    expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(refusals.map(({ errors }) => errors)).toEqual([
      expect.stringMatching(/set HOST and PORT/),
      expect.stringMatching(/set PORT[\s\S]*set SERVICE_EMBEDDING_PROVIDER/),
      expect.stringMatching(/set SERVICE_DATA_DIR/),
      expect.stringMatching(/memory\.db cannot be used/),
      expect.stringMatching(/set VOYAGE_API_KEY/),
      expect.stringMatching(/fix or remove .*credentials\.json/),
    ]);
    expect(refusals.map(({ errors }) => errors).join()).not.toContain('    at ');
  });

  test('moves to another embedder with a restart or the command, and answers searches all the time', async () => {
    const dataDir = await folder();
    const first = await start(dataDir);
    const { id } = await new MemoryClient(first.credentials).ingest({ content: 'Deploys run on Fridays at noon.' });
    await first.stop('SIGTERM');
    const found = async ({ credentials }: ServerProcess) =>
      (await new MemoryClient({ ...credentials, maxRetries: 0 }).search({ query: 'deploys' })).results.map(
        (each) => each.id,
      );
    const reembed = async (args: string[], dimensions: string) => {
      const env = { SERVICE_DATA_DIR: dataDir, SERVICE_EMBEDDING_DIMENSIONS: dimensions };
      const { code, output } = await runProgram('operator/reembed.js', args, env);
      return { code, output };
    };
    expect(await reembed(['--status'], '512')).toEqual({
      code: 0,
      output: expect.stringContaining('searches compare vectors of local|terms-and-meaning-1|1024\n'),
    });

    const second = await start(dataDir, { SERVICE_EMBEDDING_DIMENSIONS: '512' });
    expect(await found(second)).toEqual([id]);
    await vi.waitUntil(async () =>
      (await metricsOf(second)).includes('job_attempts_total{name="reembed",outcome="done"} 1'),
    );
    expect(await found(second)).toEqual([id]);
    await second.stop('SIGTERM');

    const all = 'Every organization is embedded with local|terms-and-meaning-1|512.\n';
    expect(await reembed(['--status'], '512')).toEqual({ code: 0, output: all });
    expect(await reembed([], '256')).toEqual({ code: 0, output: expect.stringContaining('done: 1 memories') });
    const third = await start(dataDir, { SERVICE_EMBEDDING_DIMENSIONS: '256' });
    expect(await found(third)).toEqual([id]);
    expect(await reembed(['--what'], '256')).toMatchObject({ code: 2 });
  });
});

async function metricsOf({ url }: ServerProcess): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** Sends an ingest whose body follows only after the server has the request, and stops the server in between. */
async function stopDuring(
  server: ServerProcess,
  body: string,
): Promise<{ status: number | undefined; stopped: Promise<number | null> }> {
  const sent = request(`${server.url}/api/memories`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${server.credentials.token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Expect: '100-continue',
    },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  const stopped = server.stop('SIGTERM');
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return { status: answer.statusCode, stopped };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'memory-service-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function start(dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await ServerProcess.start(builtPackage('server'), dataDir, { ...UNLIMITED, ...env });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** Runs a server that is expected to end by itself. */
function run(env: Readonly<Record<string, string>>): Promise<Ended> {
  return runProgram('main.cjs', [], env);
}
