import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../adapters/sqlite/engine/connection.js';
import { DATABASE_FILE } from '../../adapters/sqlite/engine/database.js';
import { filesWith } from '../../testing/processes/files-with.js';
import { killCount } from '../../testing/processes/kill-count.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const MARK = 'qxvzeppelin';
const NAME = `${MARK} and friends`;
/** Fewer than those after which a job is given up. */
const KILLS = Math.min(killCount(4), 8);
/** Enough that most kills come while data is removed. */
const MEMORIES = 800 * KILLS;
const BATCH = 50;
const LOOK_AGAIN_MS = 250;
/** Shorter than the removal, so that kills come in the middle of it. */
const LOOK_FOR_PROGRESS_MS = 10;
/** More than the minute after which the data is removed again. */
const SETTLED_AFTER_S = 61;
/** Long enough for a busy machine; fails the test if it hangs. */
const TIMEOUT_MS = 400_000 + KILLS * 30_000;

test(
  'a deletion of an organization continues after each of several kills, and leaves nothing of it',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'memory-deletion-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    let server = await startServer(dataDir);
    onTestFinished(() => void server.stop('SIGKILL'));
    const deleted = server.credentials;
    const owner = await signedIn(server);
    const kept = await anotherOrganization(server, owner);
    const here = { ...owner, 'x-organization-id': deleted.organizationId };
    await call(server, 'PATCH', '/api/organization', here, { name: NAME });
    await fill(server, here, MARK, MEMORIES);
    await fill(server, { ...owner, 'x-organization-id': kept }, 'other', BATCH);

    await call(server, 'POST', '/api/organization/delete', here, { name: NAME });
    const left: number[] = [];
    const refused: number[] = [];
    for (let kills = 0, before = MEMORIES; kills < KILLS; kills += 1) {
      while (leftIn(dataDir) === before && before > 0) await delay(LOOK_FOR_PROGRESS_MS);
      await server.stop('SIGKILL');
      before = leftIn(dataDir);
      left.push(before);
      server = await startServer(dataDir);
      refused.push((await request(server, 'GET', '/api/memories/recent', bearer(deleted.token))).status);
    }
    while (leftIn(dataDir) > 0) await delay(LOOK_AGAIN_MS);
    await server.stop('SIGTERM');
    letPass(dataDir, SETTLED_AFTER_S);
    server = await startServer(dataDir);
    while (read(dataDir, 'SELECT org FROM deleted_organizations').length > 0) await delay(LOOK_AGAIN_MS);
    const stats = await call(server, 'GET', '/api/memories/stats', { ...owner, 'x-organization-id': kept });
    const holding = await filesWith(dataDir, MARK.slice(1));
    const stopped = await server.stop('SIGTERM');

    expect(refused).toEqual(refused.map(() => 401));
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    // Otherwise no kill came while data was removed.
    expect(left.some((count) => count > 0 && count < MEMORIES)).toBe(true);
    expect(read(dataDir, 'SELECT key FROM organizations')).toHaveLength(1);
    expect(stats).toMatchObject({ meta: { total: BATCH } });
    expect(holding).toEqual([]);
    expect(stopped).toBe(0);
    expect(await filesWith(dataDir, MARK.slice(1))).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Counts the memories of the deleted organization. The other one has `BATCH`. */
function leftIn(dataDir: string): number {
  return read(dataDir, 'SELECT seq FROM memories').length - BATCH;
}

type Headers = Record<string, string>;

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

function startServer(dataDir: string): Promise<ServerProcess> {
  return ServerProcess.start(builtPackage('server'), dataDir, {
    SERVICE_RATE_LIMIT_INGEST: '1000000',
    SERVICE_RATE_LIMIT_SEARCH: '1000000',
    SERVICE_RATE_LIMIT_ADMIN: '1000000',
  });
}

/** Starts a session of the owner, and returns the headers that their browser sends. */
async function signedIn(server: ServerProcess): Promise<Headers> {
  const { link } = await call(server, 'POST', '/api/session/links', bearer(server.credentials.token));
  const code = new URL(String(link), server.url).hash.slice(1);
  const redeemed = await request(server, 'POST', '/api/session/links/redeem', {}, { code });
  const [cookie = ''] = redeemed.headers.getSetCookie();
  const { csrfToken } = (await redeemed.json()) as { csrfToken: string };
  return { cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': csrfToken };
}

async function anotherOrganization(server: ServerProcess, owner: Headers): Promise<string> {
  return String((await call(server, 'POST', '/api/organizations', owner, { name: 'kept' })).id);
}

async function fill(server: ServerProcess, headers: Headers, mark: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({
      content: `${mark} ${from + n}`,
      metadata: { kind: mark },
    }));
    await call(server, 'POST', '/api/memories/batch', headers, { items });
  }
}

async function call(
  server: ServerProcess,
  method: string,
  path: string,
  headers: Headers,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await request(server, method, path, headers, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function request(
  { url }: ServerProcess,
  method: string,
  path: string,
  headers: Headers,
  body?: object,
): Promise<Response> {
  const type: Headers = body ? { 'content-type': 'application/json' } : {};
  return fetch(`${url}${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Moves the deletion and its job into the past, in place of a wait. No server runs. */
function letPass(dataDir: string, seconds: number): void {
  const connection = new Connection(join(dataDir, DATABASE_FILE));
  try {
    connection.run('UPDATE deleted_organizations SET deleted_at = deleted_at - ?', seconds * 1_000_000);
    connection.run("UPDATE jobs SET next_run_at = 0 WHERE name = 'delete-organization'");
  } finally {
    connection.close();
  }
}

function read(dataDir: string, sql: string): unknown[] {
  const connection = new Connection(join(dataDir, DATABASE_FILE), { readOnly: true });
  try {
    return connection.all(sql);
  } finally {
    connection.close();
  }
}
