import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { MemoryReader } from '../../ports/memory-reader.js';
import { testApp } from '../../testing/app/test-app.js';
import { ACCEPT } from '../../testing/app/tool-message.js';

const PATIENT = { timeout: 60_000 };
const ABANDONED = 20;
const SEARCH = { query: 'alpha', mode: 'keyword' };
const TOOL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory_search', arguments: SEARCH } };

test.each([
  ['the REST interface', '/api/memories/search', SEARCH],
  ['the tools', '/mcp', TOOL],
])('abandoned searches over %s end before a later one begins', async (_, path, body) => {
  const app = await testApp();
  await app.send('POST', '/api/memories', { content: 'alpha' });
  const order = holdSearches(app.deps.store.memories);
  const caller = new AbortController();
  const searches = Array.from({ length: ABANDONED }, () =>
    fetch(`http://127.0.0.1:${app.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.token}`, accept: ACCEPT, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: caller.signal,
    }),
  );
  await vi.waitFor(() => expect(order).toHaveLength(ABANDONED), PATIENT);

  caller.abort();
  await Promise.allSettled(searches);
  await vi.waitFor(() => expect(order).toHaveLength(2 * ABANDONED), PATIENT);
  const found = await app.send('POST', '/api/memories/search', SEARCH);

  expect(found.body.meta).toMatchObject({ count: 1 });
  expect(order).toEqual([...Array(ABANDONED).fill('begin'), ...Array(ABANDONED).fill('abandoned'), 'begin', 'end']);
  const logged = app.logged.filter(({ operationId }) => operationId === 'searchMemories');
  expect(logged.filter(({ status }) => status === 499)).toHaveLength(ABANDONED);
  expect(app.logged.every(({ level }) => level === 'info')).toBe(true);
  const metrics = await app.deps.metrics.exposition();
  expect(metrics).toContain(`memory_service_requests_total{operation="searchMemories",status="499"} ${ABANDONED}\n`);
});

test('an abandoned search does not count toward the plan', async () => {
  const app = await testApp();
  const order = holdSearches(app.deps.store.memories);
  const counted = vi.spyOn(app.deps.store.usage, 'countSearch');
  const caller = new AbortController();
  const search = fetch(`http://127.0.0.1:${app.port}/api/memories/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(SEARCH),
    signal: caller.signal,
  });
  await vi.waitFor(() => expect(order).toHaveLength(1), PATIENT);

  caller.abort();
  await Promise.allSettled([search]);
  await vi.waitFor(() => expect(app.logged).toMatchObject([{ status: 499 }]), PATIENT);

  expect(order).toEqual(['begin', 'abandoned']);
  expect(counted).not.toHaveBeenCalled();
});

test('abandoned requests of one connection are all logged, also one whose answer waited for another', async () => {
  const app = await testApp();
  const order = holdSearches(app.deps.store.memories);
  const body = JSON.stringify(SEARCH);
  const head = [
    'POST /api/memories/search HTTP/1.1\r\nhost: x',
    `authorization: Bearer ${app.token}`,
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  ].join('\r\n');
  const socket = connect(app.port, '127.0.0.1');
  socket.write(`${head}${body}${head}${body}`);
  await vi.waitFor(() => expect(order).toHaveLength(2), PATIENT);

  socket.destroy();

  await vi.waitFor(() => expect(app.logged).toMatchObject([{ status: 499 }, { status: 499 }]), PATIENT);
});

/** Blocks the first searches until they are abandoned. Returns what searches do, in order. */
function holdSearches(memories: MemoryReader): string[] {
  const order: string[] = [];
  const matching = memories.matching.bind(memories);
  let begun = 0;
  vi.spyOn(memories, 'matching').mockImplementation(async (organizationId, query, signal) => {
    begun += 1;
    order.push('begin');
    if (begun <= ABANDONED) {
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))).finally(() =>
        order.push('abandoned'),
      );
    }
    const found = await matching(organizationId, query, signal);
    order.push('end');
    return found;
  });
  return order;
}
