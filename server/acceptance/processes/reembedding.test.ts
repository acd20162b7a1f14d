import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EmbeddingEndpoint } from '../../testing/fixtures/embedding-endpoint.js';
import { runProgram } from '../../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const UNLIMITED = { SERVICE_RATE_LIMIT_INGEST: '1000000', SERVICE_RATE_LIMIT_SEARCH: '1000000' };
const MEMORIES = 300;
const BATCH = 50;
const KILLS = 3;

test('every search finds its memory while a slow embedder re-embeds them and the server is killed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-reembedding-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const endpoint = await EmbeddingEndpoint.start();
  onTestFinished(() => endpoint[Symbol.asyncDispose]());
  const contents = new Map<string, string>();
  const start = async (env: Record<string, string>) => {
    const server = await ServerProcess.start(builtPackage('server'), dataDir, { ...UNLIMITED, ...env });
    onTestFinished(() => server[Symbol.asyncDispose]());
    return { server, client: new MemoryClient({ ...server.credentials, maxRetries: 0 }) };
  };
  const first = await start({});
  for (let from = 0; from < MEMORIES; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({ content: `the fact with the number ${from + n}` }));
    const { results } = await first.client.ingestBatch({ items });
    for (const [n, result] of results.entries()) if ('id' in result) contents.set(result.id, items[n]!.content);
  }
  expect(contents.size).toBe(MEMORIES);
  await first.server.stop('SIGTERM');

  const expectFound = async (client: MemoryClient) => {
    for (const [n, [id, content]] of [...contents].entries()) {
      if (n % 29 !== 0 && n < MEMORIES) continue;
      const { results } = await client.search({ query: content, limit: 1 });
      expect(results[0]).toMatchObject({ id, content });
    }
  };
  const write = async (client: MemoryClient, what: string) => {
    const added = `a fact that was added ${what}`;
    contents.set((await client.ingest({ content: added })).id, added);
    const [changing = ''] = [...contents.keys()].slice(endpoint.embedded.length);
    const changed = `a fact that was changed ${what}`;
    await client.update(changing, { content: changed });
    contents.delete(changing);
    contents.set(changing, changed);
  };

  for (let kill = 0; kill < KILLS; kill++) {
    const { server, client } = await start(endpoint.env);
    await expectFound(client);
    endpoint.allow(1);
    await vi.waitUntil(() => endpoint.waiting > 0, { timeout: 20_000 });
    await write(client, `before kill ${kill}`);
    await expectFound(client);
    await server.stop('SIGKILL');
    endpoint.forgetWaiting();
  }
  const embeddedBefore = endpoint.embedded.length;
  const { server, client } = await start(endpoint.env);
  await expectFound(client);
  endpoint.allow(1_000);
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  while (!(await metrics()).includes('job_attempts_total{name="reembed",outcome="done"} 1')) await expectFound(client);
  await write(client, 'afterwards');
  await expectFound(client);

  // Vectors that were stored before a kill are not made again.
  expect(embeddedBefore).toBeGreaterThan(100);
  expect(endpoint.embedded.length).toBeLessThanOrEqual(MEMORIES + 2 * KILLS);
  await server.stop('SIGTERM');
  const check = await runProgram('main.cjs', ['check'], { SERVICE_DATA_DIR: dataDir });
  expect(check).toMatchObject({ code: 0 });
});
