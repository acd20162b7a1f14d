import { describe, expect, test } from 'vitest';
import type { Role } from '../../domain/account/role.js';
import { createToken } from '../../domain/account/token.js';
import { browser, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const LIST = '/api/organization/memories';
const COUNTS = '/api/organization/memories/counts';

async function browsing(role: Role = 'readonly') {
  const app = await testApp();
  return { app, get: await getter(app, role) };
}

async function getter(app: TestApp, role: Role) {
  const send = browser(app, await signedIn(app, await person(app, role)));
  return async (path: string) => send('GET', path);
}

async function ingest(app: TestApp, ...contents: string[]): Promise<string[]> {
  const ids = [];
  for (const content of contents) {
    const { body } = await app.send('POST', '/api/memories', { content, metadata: { kind: content.slice(0, 1) } });
    ids.push(String(body.id));
  }
  return ids;
}

const idsOf = (body: { memories?: { id: string }[] }) => body.memories?.map(({ id }) => id);

describe.each([LIST, `${COUNTS}?interval=day&since=2026-01-01`])('%s', (path) => {
  test('is for sessions of every role, and rejects tokens', async () => {
    const { app } = await browsing();
    for (const role of ['owner', 'member', 'readonly'] as const) {
      expect((await (await getter(app, role))(path)).status).toBe(200);
    }
    const other = await foundOrganization(app.deps);
    for (const authorization of [
      undefined,
      `Bearer ${createToken()}`,
      `Bearer ${app.token}`,
      `Bearer ${other.token}`,
    ]) {
      expect(await app.send('GET', path, undefined, { authorization })).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated', error: expect.stringContaining('sign in') },
      });
    }
  });

  test('rejects organizations that the user does not belong to', async () => {
    const { app } = await browsing();
    const send = browser(app, await signedIn(app, await person(app, 'owner')));
    const other = await foundOrganization(app.deps);

    const answer = await send('GET', path, undefined, { 'x-organization-id': other.organizationId });

    expect(answer).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
  });

  test('counts against the limit of searches of the session, and not against the monthly cap', async () => {
    const { get } = await browsing('owner');
    const used = async () => (await get('/api/organization/usage')).body.usage;
    const before = await used();

    const { headers } = await get(path);

    expect(headers.ratelimit).toMatch(/^"search";/);
    expect(await used()).toEqual(before);
  });

  test('rejects unknown parameters', async () => {
    const { get } = await browsing();

    expect(await get(`${path}${path.includes('?') ? '&' : '?'}x=1`)).toMatchObject({ status: 422 });
  });
});

describe('listMemories', () => {
  test('lists in both directions, by creation and by change, in pages', async () => {
    const { app, get } = await browsing();
    const [one, two, three] = await ingest(app, 'a one', 'b two', 'c three');
    await app.send('PATCH', `/api/memories/${one}`, { metadata: { seen: true } });

    expect(idsOf((await get(LIST)).body)).toEqual([three, two, one]);
    expect(idsOf((await get(`${LIST}?direction=asc`)).body)).toEqual([one, two, three]);
    expect(idsOf((await get(`${LIST}?sort=updatedAt`)).body)).toEqual([one, three, two]);
    expect(idsOf((await get(`${LIST}?sort=updatedAt&direction=asc`)).body)).toEqual([two, three, one]);
    const first = await get(`${LIST}?limit=2&sort=updatedAt`);
    expect(first.body).toMatchObject({ meta: { count: 2, hasMore: true }, nextCursor: expect.any(String) });
    const cursor = encodeURIComponent(String(first.body.nextCursor));
    const last = await get(`${LIST}?limit=2&sort=updatedAt&cursor=${cursor}`);
    expect(idsOf(last.body)).toEqual([two]);
    expect(last.body).toMatchObject({ meta: { count: 1, hasMore: false } });
    expect(last.body).not.toHaveProperty('nextCursor');
  });

  test('selects by time, filter and state', async () => {
    const { app, get } = await browsing();
    const [one, two, three] = await ingest(app, 'a one', 'a two', 'b three');
    const times = new Map<string, string>();
    const all = (await get(LIST)).body.memories as { id: string; createdAt: string }[];
    for (const { id, createdAt } of all) times.set(id, createdAt);
    await app.send('DELETE', `/api/memories/${two}`);

    expect(idsOf((await get(`${LIST}?since=${times.get(two!)}`)).body)).toEqual([three]);
    expect(idsOf((await get(`${LIST}?until=${times.get(three!)}&includeDeleted=true`)).body)).toEqual([two, one]);
    expect(idsOf((await get(`${LIST}?filter[kind]=a`)).body)).toEqual([one]);
    const deleted = await get(`${LIST}?onlyDeleted=1`);
    expect(deleted.body.memories).toEqual([expect.objectContaining({ id: two, deletedAt: expect.any(String) })]);
  });

  test('cuts contents for a preview, and says how long they are', async () => {
    const { app, get } = await browsing();
    await ingest(app, 'short', `long ${'x'.repeat(90_000)}`);

    const [long, short] = (await get(`${LIST}?preview=5`)).body.memories as object[];

    expect(long).toMatchObject({ content: 'long ', contentLength: 90_005, truncated: true });
    expect(short).toMatchObject({ content: 'short', contentLength: 5 });
    expect(short).not.toHaveProperty('truncated');
    const [whole] = (await get(`${LIST}?limit=1`)).body.memories as { content: string }[];
    expect(whole?.content).toHaveLength(90_005);
    expect(whole).not.toHaveProperty('contentLength');
  });

  test('ends a page of previews before it is large', async () => {
    const { app, get } = await browsing();
    for (let index = 0; index < 4; index += 1) {
      await app.send('POST', '/api/memories', { content: `${index}`, metadata: { large: 'x'.repeat(50_000) } });
    }

    const first = await get(`${LIST}?preview=9`);

    expect(first.body.meta).toEqual({ count: 2, hasMore: true });
    const cursor = encodeURIComponent(String(first.body.nextCursor));
    expect((await get(`${LIST}?preview=9&cursor=${cursor}`)).body.meta).toEqual({ count: 2, hasMore: false });
    expect((await get(LIST)).body.meta).toEqual({ count: 4, hasMore: false });
  });

  test.each(['limit=0', 'limit=201', 'preview=0', 'preview=1001', 'sort=id', 'direction=up', 'since=x', 'cursor=x'])(
    'rejects %s',
    async (query) => {
      const { get } = await browsing();

      expect(await get(`${LIST}?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    },
  );
});

describe('countMemories', () => {
  test('counts by day and by the values of a metadata key', async () => {
    const { app, get } = await browsing();
    const [, , third] = await ingest(app, 'a one', 'a two', 'b three', 'c four');
    await app.send('DELETE', `/api/memories/${third}`);
    const day = String(((await get(LIST)).body.memories as { createdAt: string }[])[0]?.createdAt).slice(0, 10);
    const start = `${day}T00:00:00.000000Z`;
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    const query = `interval=day&since=${day}&until=${next}`;

    expect((await get(`${COUNTS}?${query}`)).body).toEqual({
      interval: 'day',
      buckets: [{ start, count: 3 }],
      meta: { count: 3 },
    });
    expect((await get(`${COUNTS}?${query}&facet=kind&values=1`)).body).toEqual({
      interval: 'day',
      buckets: [{ start, count: 3, counts: [2], other: 1 }],
      values: [{ value: 'a', count: 2 }],
      meta: { count: 3 },
    });
    expect((await get(`${COUNTS}?${query}&filter[kind]=a`)).body).toMatchObject({ meta: { count: 2 } });
    expect((await get(`${COUNTS}?${query}&includeDeleted=true`)).body).toMatchObject({ meta: { count: 4 } });
    expect((await get(`${COUNTS}?${query}&onlyDeleted=true&time=updatedAt`)).body).toMatchObject({
      meta: { count: 1 },
    });
  });

  test('counts until now unless told otherwise', async () => {
    const { app, get } = await browsing();
    const now = Math.floor(app.deps.now() / 1_000);

    const { body } = await get(`${COUNTS}?interval=hour&since=${new Date(now - 7_200_000).toISOString()}`);

    expect(body.buckets).toHaveLength(3);
  });

  test('rejects more than 800 buckets', async () => {
    const { get } = await browsing();

    const most = await get(`${COUNTS}?interval=hour&since=2026-01-01&until=2026-02-03T08:00:00Z`);
    const over = await get(`${COUNTS}?interval=hour&since=2026-01-01&until=2026-02-03T08:00:00.000001Z`);

    expect(most.body.buckets).toHaveLength(800);
    expect(over).toMatchObject({ status: 422, body: { details: [{ path: 'interval' }] } });
  });

  test.each(['', 'interval=day', 'since=2026-01-01', 'interval=week&since=2026-01-01'])(
    'rejects "%s"',
    async (query) => {
      const { get } = await browsing();

      expect(await get(`${COUNTS}?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    },
  );
});
