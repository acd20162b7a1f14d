import { expect, expectTypeOf, test } from 'vitest';
import { type Change, MemoryClient, type NotFoundError, type SearchResult, type WrittenMemory } from './index.js';

// What is said here is checked by the compiler, which reads this file like any other; nothing of it is sent.

const client = new MemoryClient({ baseUrl: 'http://memory.test', token: '', maxRetries: 0, fetch: unsent });

async function unsent(): Promise<Response> {
  return Response.json({ error: 'nothing is sent', code: 'unauthenticated' }, { status: 401 });
}

test('calls with wrong fields do not compile', async () => {
  const wrong: (() => Promise<unknown>)[] = [
    // @ts-expect-error content is required
    () => client.ingest({}),
    // @ts-expect-error content is a text
    () => client.ingest({ content: 7 }),
    // @ts-expect-error no such field
    () => client.ingest({ content: 'a', tags: [] }),
    // @ts-expect-error the external key is required
    () => client.upsert({ content: 'a' }),
    // @ts-expect-error no such part of a scope
    () => client.upsert({ externalKey: 'k', content: 'a', scope: { team: 'x' } }),
    // @ts-expect-error a subject key is a number or a text
    () => client.ingest({ content: 'a', subjectKey: true }),
    // @ts-expect-error no such mode
    () => client.search({ query: 'a', mode: 'fuzzy' }),
    // @ts-expect-error no such key of a filter
    () => client.recent({ filter: { team: 'x' } }),
    // @ts-expect-error a match compares scalars
    () => client.recent({ filter: { match: { team: ['x'] } } }),
    // @ts-expect-error since is required
    () => client.changes({}),
    // @ts-expect-error options come last, on their own
    () => client.recent({ signal: AbortSignal.abort() }),
    // @ts-expect-error no such option
    () => client.recent({}, { retries: 3 }),
    // @ts-expect-error an id is a text
    () => client.get(7),
    // @ts-expect-error no such type of subject keys
    () => client.settings.update({ subjectKeyType: 'uuid' }),
    // @ts-expect-error no such role
    () => client.members.update('id', { role: 'admin' }),
    // @ts-expect-error the name is required
    () => client.tokens.create({ abilities: [] }),
  ];

  expect(wrong).toHaveLength(16);
});

test('an outcome, a change and a status are one of those that there are', async () => {
  const { outcome } = {} as WrittenMemory;
  expectTypeOf(outcome).toEqualTypeOf<'created' | 'updated' | 'deduplicated' | 'merged_metadata'>();
  // @ts-expect-error no such outcome
  expect(outcome === 'stored').toBe(false);

  const change = { change: 'deleted', id: 'a', deletedAt: '', updatedAt: '' } as Change;
  if (change.change === 'deleted') {
    // @ts-expect-error a deleted memory has no content
    expect(change.content).toBeUndefined();
  } else expectTypeOf(change.content).toBeString();
});

test('lists are promises of a page and iterables of items', () => {
  type Exported = ReturnType<MemoryClient['export']>;
  expectTypeOf<Awaited<Exported>>().toHaveProperty('memories');
  expectTypeOf<Exported>().toExtend<AsyncIterable<{ content: string }>>();
  expectTypeOf<ReturnType<MemoryClient['follow']>>().toExtend<AsyncIterable<Change>>();
  expectTypeOf<ReturnType<MemoryClient['delete']>>().resolves.toBeVoid();
  expectTypeOf<SearchResult['score']>().toBeNumber();
});

test('errors tell what they carry', () => {
  expectTypeOf<NotFoundError['status']>().toBeNumber();
  expectTypeOf<NotFoundError['code']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<NotFoundError['details']>().toExtend<readonly { path: string; message: string }[]>();
  // @ts-expect-error only a conflict names the memory in the way
  expectTypeOf<NotFoundError['id']>().toBeAny();
});
