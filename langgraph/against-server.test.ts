import { MemoryClient } from '@memory-service/sdk';
import { expect, test } from 'vitest';
import { testApp } from '../server/testing/app/test-app.js';
import { MemoryServiceStore } from './memory-service-store.js';

async function connect() {
  const { port, token } = await testApp();
  const client = new MemoryClient({ baseUrl: `http://127.0.0.1:${port}`, token });
  await client.settings.update({ subjectKeyType: 'string' });
  return { client, store: new MemoryServiceStore(client) };
}

test('a store on the server keeps values, and replaces, deletes and recreates items', async () => {
  const { store } = await connect();
  const value = {
    text: `e\u0301 \u212b \ud800 \0 a${'\u0301'.repeat(40)} 🍵`,
    'dotted.key': 1,
    $dollar: true,
    large: 2 ** 60,
    deep: { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } },
  };

  await store.put(['users', 'ana'], 'k', value);
  const first = await store.get(['users', 'ana'], 'k');
  await store.put(['users', 'ana'], 'k', { text: 'Second.' });
  const second = await store.get(['users', 'ana'], 'k');
  await store.delete(['users', 'ana'], 'k');
  const none = await store.get(['users', 'ana'], 'k');
  await store.put(['users', 'ana'], 'k', { text: 'Third.' });

  expect(first?.value).toEqual(value);
  expect(second).toMatchObject({ value: { text: 'Second.' }, createdAt: first?.createdAt });
  expect(none).toBeNull();
  expect((await store.search(['users'])).map((item) => item.value)).toEqual([{ text: 'Third.' }]);
});

test('equal values under other keys stay items of their own', async () => {
  const { store } = await connect();
  const value = { text: 'Likes tea.' };
  const namespace = ['a'.repeat(300), 'b'.repeat(300)];
  for (const key of ['a', 'b', 'c'.repeat(300)]) await store.put(namespace, key, value);
  await store.put([...namespace, 'x'], 'a', { text: 'likes tea' });

  await store.delete(namespace, 'a');

  expect((await store.search(namespace)).map(({ key }) => key)).toEqual(['b', 'c'.repeat(300), 'a']);
  expect(await store.listNamespaces({ suffix: ['x'] })).toEqual([[...namespace, 'x']]);
});

test('filters and searches by meaning within a namespace', async () => {
  const { store } = await connect();
  await store.put(['users', 'ana'], 'tea', { text: 'Ana drinks green tea.', 'a.b': 1, size: 3 });
  await store.put(['users', 'ana'], 'train', { text: 'Ana takes the train to Rome.', 'a.b': 2, size: 12 });
  await store.put(['users', 'ben'], 'tea', { text: 'Ben drinks black tea.', 'a.b': 1, size: 12 });
  await store.put(['users', 'ana'], 'hidden', { text: 'Ana drinks tea in secret.' }, false);

  const drinks = await store.search(['users', 'ana'], { query: 'Which tea does she drink?' });
  const dotted = await store.search(['users'], { filter: { 'a.b': 1 } });
  const large = await store.search(['users'], {
    query: 'tea',
    filter: { size: { $gt: 3 }, text: { $ne: 'x' } },
    limit: 1,
  });

  expect(drinks.map(({ key }) => key)).toEqual(['tea', 'train']);
  expect(dotted.map(({ namespace }) => namespace[1])).toEqual(['ana', 'ben']);
  expect(large).toMatchObject([{ namespace: ['users', 'ben'], key: 'tea' }]);
});

test('many items are listed in pages, and written at the same time', async () => {
  const { store } = await connect();
  const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);

  await store.batch(keys.map((key) => ({ namespace: ['many'], key, value: { key } })));
  await Promise.all(keys.slice(0, 5).map(() => store.put(['many'], 'k0', { key: 'again' })));

  const items = await store.search(['many'], { limit: 20, offset: 5 });
  expect(new Set(items.map(({ key }) => key)).size).toBe(20);
  expect(await store.search(['many'], { limit: 100 })).toHaveLength(30);
});

test('deleting what is about a subject removes its items', async () => {
  const { client } = await connect();
  const store = new MemoryServiceStore(client, { subjectKey: ([, user]) => user });
  await store.put(['users', 'ana'], 'k', { text: 'Ana drinks tea.' });
  await store.put(['users', 'ben'], 'k', { text: 'Ben drinks tea.' });

  await client.deleteMany({ filter: { subjectKey: 'ana' }, expectedCount: 1 });

  expect((await store.search(['users'])).map(({ namespace }) => namespace[1])).toEqual(['ben']);
});
