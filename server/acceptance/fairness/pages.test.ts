import { expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const CONTENT_BYTES = 100_000;
const MEMORIES = 30;
/** The number of such memories that fit into a page of 2 MiB. */
const FIRST_PAGE = 20;
const LIMIT = `limit=${MEMORIES}`;

test('a page of large memories ends early, and its cursor misses none', async () => {
  const app = await testApp();
  const ids = await storeLarge(app);

  const exported = await app.send('GET', `/api/memories/export?${LIMIT}`);
  const cursor = encodeURIComponent(String(exported.headers['x-next-cursor']));
  const rest = await app.send('GET', `/api/memories/export?${LIMIT}&cursor=${cursor}`);

  expect([...idsOf(exported.text), ...idsOf(rest.text)]).toEqual(ids);
  expect(idsOf(exported.text)).toHaveLength(FIRST_PAGE);
  expect(rest.headers['x-next-cursor']).toBeUndefined();
});

test('a page of large changes reports that more follow', async () => {
  const app = await testApp();
  const ids = await storeLarge(app);
  const path = `/api/memories/changes?since=2020-01-01T00:00:00Z&${LIMIT}`;

  const first = await app.send('GET', path);
  const second = await app.send('GET', `${path}&cursor=${encodeURIComponent(String(first.body.nextCursor))}`);

  const changes = [first, second].flatMap(({ body }) => body.changes as { id: string }[]);
  expect(changes.map(({ id }) => id)).toEqual(ids);
  expect(first.body.meta).toEqual({ count: FIRST_PAGE, hasMore: true });
  expect(second.body.meta).toEqual({ count: MEMORIES - FIRST_PAGE, hasMore: false });
});

test('the newest and the best are fewer if they are large', async () => {
  const app = await testApp();
  await storeLarge(app);

  const recent = await app.send('GET', `/api/memories/recent?${LIMIT}`);
  const found = await app.send('POST', '/api/memories/search', { query: 'number 7', limit: MEMORIES });

  expect(recent.body.meta).toMatchObject({ count: FIRST_PAGE });
  expect(found.body.meta).toMatchObject({ count: FIRST_PAGE });
});

test('a page of one organization comes before many pages of another that were requested earlier', async () => {
  const app = await testApp();
  await storeLarge(app);
  const bystander = await foundOrganization(app.deps);
  const authorization = `Bearer ${bystander.token}`;
  const order: string[] = [];
  const ask = async (name: string, headers = {}) => {
    const { status } = await app.send('GET', `/api/memories/export?${LIMIT}`, undefined, headers);
    order.push(`${name} ${status}`);
  };

  await Promise.all([...Array.from({ length: 10 }, () => ask('many')), ask('one', { authorization })]);

  expect(order.indexOf('one 200')).toBeGreaterThanOrEqual(0);
  expect(order.at(-1)).toBe('many 200');
});

/** Returns the ids in order of creation. */
async function storeLarge(app: TestApp): Promise<string[]> {
  const items = Array.from({ length: MEMORIES }, (_, index) => ({
    content: `number ${index} `.padEnd(CONTENT_BYTES, `${index} `),
  }));
  const { body } = await app.send('POST', '/api/memories/batch', { items });
  return (body.results as { id: string }[]).map(({ id }) => id);
}

function idsOf(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { id: string }).id);
}
