import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesWith } from '../../testing/processes/files-with.js';
import { killCount } from '../../testing/processes/kill-count.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const MARK = 'qxvzeppelin';
const KILLS = killCount(5);
/** Enough that most kills come while an erasure runs. */
const MEMORIES = 80 * KILLS;
const BATCH = 50;
/** Long enough for a busy machine; fails the test if it hangs. */
const TIMEOUT_MS = 250_000 + KILLS * 20_000;

test(
  'an erasure continues after each of several kills and ends complete',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'memory-erasure-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    let server = await startServer(dataDir);
    await call(server, 'PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    await fill(server, 'ana', MARK);
    await fill(server, 'ben', 'other');

    const erasures = [await ask(server)];
    const seen: number[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      // Every second kill waits until memories have been removed since the start.
      if (kills % 2 === 1) await meetProgress(server, erasures);
      await server.stop('SIGKILL');
      server = await startServer(dataDir);
      seen.push((await removedBy(server, erasures)).removed);
    }
    let { removed, status } = await removedBy(server, erasures);
    while (status !== 'done') ({ removed, status } = await removedBy(server, erasures));
    const stats = await call(server, 'GET', '/api/memories/stats?includeDeleted=true');
    const holding = await filesWith(dataDir, MARK.slice(1));
    const stopped = await server.stop('SIGTERM');

    expect(removed).toBe(MEMORIES);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(stats).toMatchObject({ meta: { total: MEMORIES } });
    expect(holding).toEqual([]);
    expect(stopped).toBe(0);
    expect(await filesWith(dataDir, MARK.slice(1))).toEqual([]);
  },
  TIMEOUT_MS,
);

async function ask(server: ServerProcess): Promise<unknown> {
  return (await call(server, 'POST', '/api/organization/subject-erasures', { subjectKey: 'ana' })).id;
}

/**
 * Returns the progress of all erasures together. Requests a failed one again: a job whose process was killed some ten
 * times in a row is given up.
 */
async function removedBy(server: ServerProcess, erasures: unknown[]): Promise<{ removed: number; status: unknown }> {
  let removed = 0;
  let status: unknown;
  for (const id of erasures) {
    const erasure = await call(server, 'GET', `/api/organization/subject-erasures/${id}`);
    removed += (erasure.counts as { memories: number }).memories;
    status = erasure.status;
  }
  if (status === 'failed') erasures.push(await ask(server));
  return { removed, status };
}

async function meetProgress(server: ServerProcess, erasures: unknown[]): Promise<void> {
  const { removed } = await removedBy(server, erasures);
  let now = await removedBy(server, erasures);
  while (now.removed === removed && now.status !== 'done') now = await removedBy(server, erasures);
}

function startServer(dataDir: string): Promise<ServerProcess> {
  return ServerProcess.start(builtPackage('server'), dataDir, {
    SERVICE_RATE_LIMIT_INGEST: '1000000',
    SERVICE_RATE_LIMIT_SEARCH: '1000000',
    SERVICE_RATE_LIMIT_ADMIN: '1000000',
  });
}

async function fill(server: ServerProcess, subjectKey: string, mark: string): Promise<void> {
  for (let from = 0; from < MEMORIES; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({
      content: `${mark} number ${from + n} of what there is to know`,
      metadata: { kind: mark },
      subjectKey,
    }));
    await call(server, 'POST', '/api/memories/batch', { items });
  }
}

async function call(
  { url, credentials }: ServerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${credentials.token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
