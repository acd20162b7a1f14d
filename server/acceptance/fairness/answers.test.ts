import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS } from '../../domain/fairness/bounds.js';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATIENT = { timeout: 30_000 };
const { tenant: ANSWER_SHARE } = BOUNDS.answerBytes.shares;
const PAGE = 'GET /api/memories/export?limit=500';

/** Requests on one connection. Buffers of the operating system hold the first few answers. */
const PIPELINED = 12;

describe('callers that do not read their answers', () => {
  test('are rejected when their share is in use, hold no requests, and do not affect others', async () => {
    const app = await testApp();
    await storeLarge(app);
    const bystander = await foundOrganization(app.deps);
    const sockets: Socket[] = [];
    while ((await inUse(app, 'answerBytes')) < ANSWER_SHARE) sockets.push(await unread(app));

    const refused = await app.send('GET', '/api/memories/recent');
    const other = await app.send('GET', '/api/memories/recent', undefined, {
      authorization: `Bearer ${bystander.token}`,
    });
    // Requests that wait for their turn are rejected.
    await vi.waitFor(async () => expect(await inUse(app, 'requests')).toBe(0), PATIENT);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect(await inUse(app, 'answerBytes')).toBe(0), PATIENT);
    const after = await app.send('GET', '/api/memories/recent?limit=1');

    expect(refused).toMatchObject({
      status: 503,
      body: { error: 'Your organization already has 32 MiB of answers under way that are not read: try again' },
      headers: { 'retry-after': '5' },
    });
    expect([other.status, after.status]).toEqual([200, 200]);
  });
});

describe('an answer that its caller reads late', () => {
  test('is not overwritten by the pages of other callers', async () => {
    const app = await testApp();
    await storeLarge(app);
    const bystander = await foundOrganization(app.deps);
    const authorization = `Bearer ${bystander.token}`;
    const items = [{ content: 'of another organization '.repeat(4_000) }];
    await app.send('POST', '/api/memories/batch', { items }, { authorization });
    const socket = await unread(app);

    for (let n = 0; n < 20; n += 1) {
      const { text } = await app.send('GET', '/api/memories/export?limit=500', undefined, { authorization });
      expect(text).toContain('of another organization');
    }
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes)).resume();
    const text = () => Buffer.concat(received).toString();
    // The last answer is sent before its caller has it.
    await vi.waitFor(() => expect(text().match(/"number 7 /g)).toHaveLength(PIPELINED), PATIENT);

    expect(text()).not.toContain('of another organization');
  });
});

describe('a request with several Host headers', () => {
  test('is rejected', async () => {
    const app = await testApp();
    const socket = connect(app.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /health/live HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n');

    const [answer] = await once(socket, 'data');

    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

async function storeLarge(app: TestApp): Promise<void> {
  const items = Array.from({ length: 25 }, (_, index) => ({
    content: `number ${index} `.padEnd(100_000, `${index} `),
  }));
  await app.send('POST', '/api/memories/batch', { items });
}

/** Requests pages and reads none of the answers. Resolves when one of the pages counts against the share. */
async function unread(app: TestApp): Promise<Socket> {
  const before = await inUse(app, 'answerBytes');
  const socket = connect(app.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  socket.write(`${PAGE} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${app.token}\r\n\r\n`.repeat(PIPELINED));
  await vi.waitFor(async () => expect(await inUse(app, 'answerBytes')).toBeGreaterThan(before), PATIENT);
  return socket;
}

async function inUse({ deps }: TestApp, resource: string): Promise<number> {
  const text = await deps.metrics.exposition();
  return Number(new RegExp(`resource_in_use\\{resource="${resource}"\\} (\\d+)`).exec(text)?.[1]);
}
