import { InvalidNamespaceError } from '@langchain/langgraph-checkpoint';
import { MemoryClient, UnavailableError } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MemoryServiceStore, StoreLimitError } from './memory-service-store.js';

const standIn = new StandInService();
const network = setupServer(...standIn.handlers);
const client = new MemoryClient({ baseUrl: standIn.baseUrl, token: 'any', maxRetries: 0 });
const store = new MemoryServiceStore(client);
const USERS = ['users', 'ana'];
let requests = 0;

beforeAll(() => {
  network.listen({ onUnhandledRequest: 'error' });
  network.events.on('request:start', () => {
    requests += 1;
  });
});
afterEach(() => standIn.reset());
afterAll(() => network.close());

function keysOf(items: readonly { key: string }[]): string[] {
  return items.map(({ key }) => key);
}

describe('an item', () => {
  test('is returned as it was put, with its times', async () => {
    const value = { text: 'Likes tea.', nested: { list: [1, 2.5, null, { a: true }] }, empty: {} };

    await store.put(USERS, 'tea', value);
    const item = await store.get(USERS, 'tea');

    expect(item).toMatchObject({ namespace: USERS, key: 'tea', value });
    expect(item?.createdAt).toBeInstanceOf(Date);
    expect(item?.updatedAt).toEqual(item?.createdAt);
  });

  test.each([
    ['text that NFC would change', { text: 'e\u0301 \u212b' }],
    ['half a surrogate pair', { text: '\ud800' }],
    ['U+0000', { text: 'a\u0000b' }],
    ['many marks', { text: `a${'\u0301'.repeat(40)}` }],
    ['emoji', { 'key 🍵': '🍵' }],
    ['a key __proto__', JSON.parse('{"__proto__": {"a": 1}}')],
    ['large and small numbers', { large: 2 ** 60, small: 1e-300, negative: -1.5 }],
    ['deep objects', { a: { b: { c: { d: { e: { f: { g: { h: { i: 1 } } } } } } } } }],
    ['names of metadata keys', { documentId: 'a', subjectKey: 'b', externalKey: 'c', source: 'd', chunkIndex: -1 }],
    ['nothing', {}],
  ])('keeps a value with %s', async (_, value) => {
    await store.put(USERS, 'k', value);

    const item = await store.get(USERS, 'k');

    expect(JSON.stringify(item?.value)).toBe(JSON.stringify(value));
  });

  test('is replaced as a whole', async () => {
    await store.put(USERS, 'k', { status: 'open', old: 1 });
    const before = await store.get(USERS, 'k');

    await store.put(USERS, 'k', { status: 'closed' });
    const after = await store.get(USERS, 'k');

    expect(after?.value).toEqual({ status: 'closed' });
    expect(after?.createdAt).toEqual(before?.createdAt);
    expect(await store.search(['users'], { filter: { old: 1 } })).toEqual([]);
    expect(keysOf(await store.search(['users'], { filter: { status: 'closed' } }))).toEqual(['k']);
    expect(standIn.memories).toHaveLength(1);
  });

  test('stays apart from an equal one under another key or namespace', async () => {
    for (const [namespace, key] of [
      [USERS, 'a'],
      [USERS, 'b'],
      [['users'], 'a'],
      [['users', 'ana', 'x'], 'a'],
    ] as const) {
      await store.put([...namespace], key, { text: 'Likes tea.' });
    }

    await store.delete(USERS, 'a');

    expect(await store.get(USERS, 'a')).toBeNull();
    expect(keysOf(await store.search(['users']))).toEqual(['b', 'a', 'a']);
  });

  test('can be put again after it was deleted', async () => {
    await store.put(USERS, 'k', { n: 1 });
    await store.delete(USERS, 'k');
    await store.delete(USERS, 'k');

    await store.put(USERS, 'k', { n: 2 });

    expect(await store.get(USERS, 'k')).toMatchObject({ value: { n: 2 } });
    expect(standIn.memories).toHaveLength(1);
  });

  test('may have a long namespace and key', async () => {
    const namespace = ['a'.repeat(300), 'b'.repeat(300)];

    await store.put(namespace, 'c'.repeat(300), { n: 1 });
    await store.put(namespace, `${'c'.repeat(299)}d`, { n: 2 });

    expect(await store.get(namespace, 'c'.repeat(300))).toMatchObject({ namespace, value: { n: 1 } });
  });

  test('does not exist in another namespace', async () => {
    await store.put(['a', 'b'], 'c', { n: 1 });

    expect(await store.get(['a'], 'b')).toBeNull();
    expect(await store.get(['a,b'], 'c')).toBeNull();
  });
});

describe('a search with a query', () => {
  test('ranks by meaning and has scores', async () => {
    await store.put(USERS, 'train', { text: 'The train goes to Rome.' });
    await store.put(USERS, 'tea', { text: 'Drinks green tea.' });

    const items = await store.search(USERS, { query: 'green tea', limit: 1 });

    expect(items).toMatchObject([{ key: 'tea', value: { text: 'Drinks green tea.' } }]);
    expect(items[0]?.score).toBeGreaterThan(0);
  });

  test('compares only the indexed fields', async () => {
    const indexing = new MemoryServiceStore(client, { fields: ['text', 'notes[*].body'] });
    await indexing.put(USERS, 'a', { text: 'Drinks tea.', secret: 'harbour' });
    await indexing.put(USERS, 'b', { notes: [{ body: 'One.' }, { body: 'Two.' }] });
    await indexing.put(USERS, 'c', { title: 'Harbour gate.', text: 'x' }, ['title']);

    expect(standIn.memories.map(({ content }) => content)).toEqual(['Drinks tea.', 'One.\nTwo.', 'Harbour gate.']);
  });

  test('leaves out items that are not indexed', async () => {
    await store.put(USERS, 'a', { text: 'green tea' }, false);
    await store.put(USERS, 'b', { text: 'green tea' });

    expect(keysOf(await store.search(USERS, { query: 'green tea' }))).toEqual(['b']);
    expect(keysOf(await store.search(USERS))).toEqual(['a', 'b']);
  });

  test('skips the offset', async () => {
    for (const key of ['a', 'b', 'c']) await store.put(USERS, key, { text: `tea ${key}` });

    const all = await store.search(USERS, { query: 'tea' });

    expect(await store.search(USERS, { query: 'tea', offset: 1, limit: 1 })).toEqual([all[1]]);
  });

  test('finds at most 50 items', async () => {
    await expect(store.search(USERS, { query: 'tea', limit: 40, offset: 11 })).rejects.toThrow(StoreLimitError);
  });
});

describe('what the service cannot do', () => {
  test.each([
    ['an object in a filter', { a: [1] }],
    ['an object to compare with', { a: { $eq: {} } }],
    ['an unknown operator', { a: { $regex: 'a' } }],
    ['a list for another operator', { a: { $gt: [1] } }],
    ['no list for $in', { a: { $in: 'a' } }],
    ['too many conditions', Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`f${index}`, 1]))],
  ])('throws for %s, and sends nothing', async (_, filter) => {
    requests = 0;

    await expect(store.search(USERS, { filter })).rejects.toThrow(StoreLimitError);

    expect(requests).toBe(0);
  });

  test('throws for a value with too many fields', async () => {
    const value = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, index]));

    await expect(store.put(USERS, 'k', value)).rejects.toThrow(StoreLimitError);
  });

  test('throws for a path that is not valid', async () => {
    await expect(store.put(USERS, 'k', { a: 1 }, ['a[?]'])).rejects.toThrow('a[?]');
  });
});

describe('a store', () => {
  test('sees only items of its source', async () => {
    const other = new MemoryServiceStore(client, { source: 'other' });
    await store.put(USERS, 'k', { n: 1 });
    await client.ingest({ content: 'Not an item.', metadata: { source: 'langgraph', ns0: 'users' } });

    await other.put(USERS, 'k', { n: 2 });

    expect(await store.get(USERS, 'k')).toMatchObject({ value: { n: 1 } });
    expect((await store.search([])).map(({ value }) => value)).toEqual([{ n: 1 }]);
    expect((await other.search([])).map(({ value }) => value)).toEqual([{ n: 2 }]);
  });

  test('bound to a subject sees only items about it', async () => {
    const ana = new MemoryServiceStore(client, { subjectKey: 'ana' });
    const ben = new MemoryServiceStore(client, { subjectKey: 'ben' });
    await ana.put(['facts'], 'k', { n: 1 });
    await ben.put(['facts'], 'k', { n: 2 });

    await ben.delete(['facts'], 'k');

    expect(await ana.get(['facts'], 'k')).toMatchObject({ value: { n: 1 } });
    expect(await ben.search([])).toEqual([]);
    expect(await ben.listNamespaces()).toEqual([]);
    expect(standIn.memories).toMatchObject([{ subjectKey: 'ana' }]);
  });

  test('may choose the subject by the namespace', async () => {
    const chosen = new MemoryServiceStore(client, {
      subjectKey: ([root, user]) => (root === 'users' ? user : undefined),
    });

    await chosen.put(USERS, 'k', { n: 1 });
    await chosen.put(['shared'], 'k', { n: 2 });

    expect(standIn.memories.map(({ subjectKey }) => subjectKey)).toEqual(['ana', undefined]);
    expect(await chosen.get(USERS, 'k')).toMatchObject({ value: { n: 1 } });
  });

  test('throws errors of the service', async () => {
    standIn.failNext({ status: 503 });

    await expect(store.get(USERS, 'k')).rejects.toThrow(UnavailableError);
  });

  test.each([[[]], [['a.b']], [['']], [['langgraph']]])('rejects the namespace %j in a put', async (namespace) => {
    await expect(store.put(namespace, 'k', { n: 1 })).rejects.toThrow(InvalidNamespaceError);
  });

  test('rejects an empty namespace in a batch too', async () => {
    await expect(store.batch([{ namespace: [], key: 'k', value: { n: 1 } }])).rejects.toThrow(InvalidNamespaceError);
  });
});
