import {
  type GetOperation,
  InMemoryStore,
  type ListNamespacesOperation,
  type PutOperation as Put,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { MemoryClient } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MemoryServiceStore } from './memory-service-store.js';

const standIn = new StandInService();
const network = setupServer(...standIn.handlers);
const store = new MemoryServiceStore(new MemoryClient({ baseUrl: standIn.baseUrl, token: 'any', maxRetries: 0 }));
const USERS = ['users', 'ana'];

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterEach(() => standIn.reset());
afterAll(() => network.close());

function keysOf(items: readonly { key: string }[]): string[] {
  return items.map(({ key }) => key);
}

describe('like the InMemoryStore of LangGraph', () => {
  const ITEMS: [string[], string, Record<string, unknown>][] = [
    [['users', 'ana'], 'a', { status: 'open', size: 3, done: false, none: null }],
    [['users', 'ana'], 'b', { status: 'closed', size: 10, done: true }],
    [['users', 'ben'], 'a', { status: 'open', size: 2.5 }],
    [['users', 'ben', 'notes'], 'c', { size: '3' }],
    [['users2'], 'd', { status: 'open' }],
    [['docs', 'v1'], 'e', { status: null, list: ['open'] }],
    [['docs', 'v2', 'notes'], 'f', {}],
  ];

  async function both() {
    const reference = new InMemoryStore();
    for (const [namespace, key, value] of ITEMS) {
      await reference.put(namespace, key, value);
      await store.put(namespace, key, value);
    }
    return { reference };
  }

  const shown = (items: readonly { namespace: string[]; key: string; value: object; score?: number | undefined }[]) =>
    items.map(({ namespace, key, value, score }) => ({ namespace, key, value, score })).sort(byPlace);
  const byPlace = (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other));

  test.each([
    [[], {}],
    [['users'], {}],
    [['users', 'ben'], {}],
    [['nobody'], {}],
    [[], { filter: { status: 'open' } }],
    [[], { filter: { status: null } }],
    [[], { filter: { size: 3 } }],
    [[], { filter: { done: false } }],
    [[], { filter: { status: { $ne: 'open' } } }],
    [[], { filter: { size: { $gt: 2.5 }, status: { $in: ['open', 'closed'] } } }],
    [[], { filter: { status: { $gte: 'a', $eq: 'none' } } }],
    [[], { filter: { status: { $nin: ['open', null] } } }],
    [[], { filter: { status: { $in: [] } } }],
    [[], { filter: { status: { $nin: [] } } }],
    [[], { filter: { status: {} } }],
    [['users'], { filter: { size: { $gte: 2.5, $lt: 10 }, status: { $eq: 'open' } } }],
    [[], { limit: 0 }],
  ])('searches in %j with %j', async (prefix, options) => {
    const { reference } = await both();

    expect(shown(await store.search(prefix, options))).toEqual(shown(await reference.search(prefix, options)));
  });

  test.each([{ limit: 2 }, { limit: 2, offset: 1 }, { limit: 2, offset: 6 }, { offset: 9 }])(
    'pages by %j',
    async (page) => {
      const { reference } = await both();

      const found = await store.search(['users', 'ana'], page);

      expect(keysOf(found)).toEqual(keysOf(await reference.search(['users', 'ana'], page)));
    },
  );

  test.each([
    {},
    { prefix: ['users'] },
    { prefix: ['*', 'ben'] },
    { prefix: ['users', '*', 'notes'] },
    { suffix: ['notes'] },
    { suffix: ['v1'], prefix: ['docs'] },
    { suffix: ['*', 'notes'] },
    { maxDepth: 1 },
    { prefix: ['users'], maxDepth: 2 },
    { limit: 2 },
    { limit: 2, offset: 3 },
    { prefix: ['nobody'] },
  ])('lists namespaces by %j', async (options) => {
    const { reference } = await both();

    expect(await store.listNamespaces(options)).toEqual(await reference.listNamespaces(options));
  });

  test('runs a batch: reads before writes, and the last write of an item', async () => {
    const { reference } = await both();
    const batch = (): [Put, GetOperation, Put, Put, SearchOperation, GetOperation, ListNamespacesOperation] => [
      { namespace: USERS, key: 'a', value: { n: 1 } },
      { namespace: USERS, key: 'a' },
      { namespace: USERS, key: 'a', value: { n: 2 } },
      { namespace: USERS, key: 'b', value: null },
      { namespacePrefix: USERS, limit: 1, filter: { status: 'closed' } },
      { namespace: USERS, key: 'none' },
      { matchConditions: [{ matchType: 'prefix', path: ['docs'] }], limit: 5, offset: 0 },
    ];

    const [, read, , , found, none, listed] = await store.batch(batch());
    const [, wantedRead, , , wantedFound, wantedNone, wantedListed] = await reference.batch(batch());

    expect(read).toMatchObject({ value: ITEMS[0]?.[2] ?? {} });
    expect(Object.keys(read ?? {}).sort()).toEqual(Object.keys(wantedRead ?? {}).sort());
    expect(shown(found)).toEqual(shown(wantedFound));
    expect([none, listed]).toEqual([wantedNone, wantedListed]);
    expect(shown(await store.search(USERS))).toEqual(shown(await reference.search(USERS)));
  });
});
