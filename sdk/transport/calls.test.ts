import { expect, test } from 'vitest';
import { MemoryClient } from '../client.js';
import { NotFoundError } from '../errors.js';

const ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const MEMORY = { id: ID, content: 'a', metadata: {}, createdAt: 'then', updatedAt: 'then' };

function clientAnswering(...answers: Response[]) {
  const urls: string[] = [];
  const client = new MemoryClient({
    baseUrl: 'http://memory.test',
    token: 'msk_test',
    fetch: async (input) => {
      urls.push((input as Request).url);
      return answers.shift() ?? Response.error();
    },
  });
  return { client, urls };
}

const page = (ids: string[], hasMore: boolean, last = ids.at(-1)) =>
  Response.json({
    changes: ids.map((id) => ({ id })),
    meta: { count: ids.length, hasMore },
    nextCursor: `after ${last}`,
  });

test('a call also returns its HTTP response', async () => {
  const { client } = clientAnswering(Response.json(MEMORY, { headers: { 'X-Request-Id': 'r-1', 'X-Limit': '9' } }));

  const { data, response, requestId } = await client.get(ID).withResponse();

  expect(data).toEqual(MEMORY);
  expect(requestId).toBe('r-1');
  expect([response.status, response.headers.get('X-Limit')]).toEqual([200, '9']);
});

test('a call awaited only by withResponse rejects once, without an unhandled rejection', async () => {
  const { client } = clientAnswering(Response.json({ error: 'Not found' }, { status: 404 }));

  await expect(client.get(ID).withResponse()).rejects.toThrow(NotFoundError);
});

test('a list that is awaited returns its first page', async () => {
  const { client, urls } = clientAnswering(page(['1', '2'], true));

  const { changes, nextCursor } = await client.changes({ since: '2026-03-01' });

  expect(changes.map(({ id }) => id)).toEqual(['1', '2']);
  expect(nextCursor).toBe('after 2');
  expect(urls).toHaveLength(1);
});

test('a list that is iterated yields all items, and requests each page with the same query', async () => {
  const { client, urls } = clientAnswering(page(['1', '2'], true), page([], true, '2b'), page(['3'], false));

  const ids: string[] = [];
  for await (const { id } of client.changes({ since: '2026-03-01', limit: 2 })) ids.push(id);

  expect(ids).toEqual(['1', '2', '3']);
  expect(urls.map((url) => new URL(url).searchParams.toString())).toEqual([
    'limit=2&since=2026-03-01',
    'limit=2&cursor=after+2&since=2026-03-01',
    'limit=2&cursor=after+2b&since=2026-03-01',
  ]);
});

test('a list can be read page by page', async () => {
  const { client } = clientAnswering(page(['1', '2'], true), page(['3'], false));

  const counts: number[] = [];
  for await (const { meta } of client.changes({ since: '2026-03-01' }).pages()) counts.push(meta.count);

  expect(counts).toEqual([2, 1]);
});

test('an iteration throws the error of a page that fails', async () => {
  const { client } = clientAnswering(page(['1'], true), Response.json({ error: 'no' }, { status: 401 }));

  const ids: string[] = [];
  const readAll = async () => {
    for await (const { id } of client.changes({ since: '2026-03-01' })) ids.push(id);
  };

  await expect(readAll()).rejects.toMatchObject({ status: 401 });
  expect(ids).toEqual(['1']);
});
