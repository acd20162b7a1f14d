import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtPackage, ServerProcess } from '../server/testing/processes/server-process.js';

const PART = ['--check', 'delete-204-empty', '--check', 'delete-unknown-404', '--check', 'delete-twice-404'];
const PLENTY = '1000000';

describe('the command', () => {
  test('finds nothing wrong with a deployment that conforms, and leaves nothing behind', async () => {
    const { server, folder } = await deployment();
    const report = join(folder, 'report.json');

    const { code, output } = await run(server.url, server.credentials.token, [...PART, '--report', 'json', report]);

    expect(output).toContain('3 passed, 0 failed, 0 skipped');
    expect(code).toBe(0);
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ summary: { conforms: true, pass: 3 } });
    const left = await get(`${server.url}/api/memories/recent`, server.credentials.token);
    expect(left).toMatchObject({ meta: { count: 0 } });
  });

  test('names what a deployment breaks, unless a baseline knows of it', async () => {
    const { server, folder } = await deployment();
    const proxy = await answeringDeletesWith200(server.url);
    const baseline = join(folder, 'baseline.txt');
    await writeFile(baseline, 'delete-204-empty # since May\n');

    const failed = await run(proxy, server.credentials.token, [...PART, '--keep']);
    const known = await run(proxy, server.credentials.token, [...PART.slice(0, 2), '--keep', '--baseline', baseline]);
    const stale = await run(server.url, server.credentials.token, [...PART, '--baseline', baseline]);

    expect(failed).toMatchObject({ code: 1, output: expect.stringMatching(/^fail +4\.6 +delete-204-empty$/m) });
    expect(known).toMatchObject({ code: 0, output: expect.stringMatching(/^known +4\.6 +delete-204-empty$/m) });
    expect(stale).toMatchObject({ code: 1, output: expect.stringMatching(/^stale +delete-204-empty$/m) });
  });

  test('does not check what the deployment lacks, and fails for it only with --strict', async () => {
    const { server } = await deployment();
    const { token } = server.credentials;
    const part = ['--check', 'isolation-of-stats', '--check', 'scan-rejects-card', '--check', 'scan-of-update'];

    const missing = await run(server.url, token, part);
    const strict = await run(server.url, token, [...part, '--strict']);
    const advised = /^ {2}(--without .*)$/m.exec(missing.output)?.[1]?.split(' ') ?? [];
    const told = await run(server.url, token, [...part, '--strict', ...advised]);

    expect(missing).toMatchObject({ code: 0, output: expect.stringMatching(/^unchecked 1 +isolation-of-stats$/m) });
    expect(missing.output).toContain('0 passed, 0 failed, 3 skipped');
    expect(strict).toMatchObject({ code: 1, output: expect.stringContaining('0 passed, 3 failed, 0 skipped') });
    expect(advised).toEqual(['--without', 'content-scan', '--without', 'second-organization']);
    expect(told).toMatchObject({ code: 0, output: expect.stringContaining('0 passed, 0 failed, 3 skipped') });
  });

  test('goes on when nobody reads its output any more', async () => {
    const { server, folder } = await deployment();
    const report = join(folder, 'report.json');
    const child = start(server.url, server.credentials.token, [...PART, '--report', 'json', report]);
    child.stdout.destroy();

    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);

    expect({ errors, code }).toEqual({ errors: '', code: 0 });
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ summary: { conforms: true, pass: 3 } });
  });

  test('deletes its memories and revokes its tokens when it is interrupted', async () => {
    const { server } = await deployment();
    const { token } = server.credentials;
    const child = start(server.url, token, ['--section', '4', '--section', '5.2']);
    const output = text(child.stdout);
    const ended = once(child, 'close');

    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const [code] = await ended;

    expect(await output).toContain('Interrupted');
    expect(code).toBe(130);
    expect(await get(`${server.url}/api/memories/stats`, token)).toMatchObject({ meta: { total: 0 } });
    expect(await get(`${server.url}/api/organization/tokens`, token)).toMatchObject({ meta: { count: 1 } });
  });

  test('exits with 2 if a run cannot start', async () => {
    const { server } = await deployment();

    const refused = await run(server.url, 'msk_x', PART);
    const nowhere = await run('http://127.0.0.1:1', 'msk_x', PART);
    const nothing = await run(server.url, server.credentials.token, ['--check', 'no-such-check']);

    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('rejected the token') });
    expect(nowhere).toMatchObject({ code: 2, output: expect.stringContaining('no response from') });
    expect(nothing).toMatchObject({ code: 2, output: expect.stringContaining('no check matches') });
  });
});

let started: Promise<ServerProcess> | undefined;
let dataDir: string | undefined;

afterAll(async () => {
  await (await started)?.stop('SIGTERM');
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
});

/** Returns the server that all tests share, and a folder for the test. */
async function deployment(): Promise<{ server: ServerProcess; folder: string }> {
  started ??= startServer();
  const server = await started;
  const folder = await mkdtemp(join(tmpdir(), 'memory-conformance-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { server, folder };
}

async function startServer(): Promise<ServerProcess> {
  dataDir = await mkdtemp(join(tmpdir(), 'memory-conformance-'));
  return ServerProcess.start(builtPackage('server'), dataDir, {
    APP_ENV: 'local',
    SERVICE_RATE_LIMIT_INGEST: PLENTY,
    SERVICE_RATE_LIMIT_SEARCH: PLENTY,
    SERVICE_RATE_LIMIT_ADMIN: PLENTY,
  });
}

function start(url: string, token: string, args: readonly string[]) {
  const given = ['--base-url', url, '--token', token, ...args];
  return spawn(process.execPath, [join(builtPackage('conformance'), 'main.js'), ...given], {
    // The suite must not see the variables that tell this process that it runs tests.
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function run(url: string, token: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = start(url, token, args);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    child.once('close', (code) => output.then((parts) => resolve({ code, output: parts.join('\n') }), reject));
  });
}

/** The deployment behind a proxy that tells of deletes in a body. */
async function answeringDeletesWith200(to: string): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const body = await text(request);
    const { host: _, connection: __, 'content-length': ___, ...sent } = headers;
    const answer = await fetch(`${to}${url}`, {
      method,
      headers: sent as Record<string, string>,
      ...(body !== '' && { body }),
    });
    const returned = Object.fromEntries(
      [...answer.headers].filter(([name]) => !/^(content-length|connection|keep-alive|transfer-encoding)$/.test(name)),
    );
    if (answer.status === 204) response.writeHead(200, returned).end('deleted');
    else response.writeHead(answer.status, returned).end(await answer.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function get(url: string, token: string): Promise<unknown> {
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
}
