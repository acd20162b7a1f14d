import { expect, expectTypeOf, test } from 'vitest';
import type { ERROR_CODES } from './constants.js';
import {
  type Change,
  type ErrorCode,
  MemoryClient,
  type NotFoundError,
  type SearchResult,
  type WrittenMemory,
} from './index.js';

// The compiler checks these claims when it reads the file. Nothing is sent.

const client = new MemoryClient({ baseUrl: 'http://memory.test', token: '', maxRetries: 0, fetch: unsent });

async function unsent(): Promise<Response> {
  return Response.json({ error: 'nothing is sent', code: 'unauthenticated' }, { status: 401 });
}

test('calls with wrong fields do not compile', async () => {
  const wrong: (() => Promise<unknown>)[] = [
    // @ts-expect-error content is required
    () => client.ingest({}),
    // @ts-expect-error content is a string
    () => client.ingest({ content: 7 }),
    // @ts-expect-error no such field
    () => client.ingest({ content: 'a', tags: [] }),
    // @ts-expect-error the external key is required
    () => client.upsert({ content: 'a' }),
    // @ts-expect-error no such member of a scope
    () => client.upsert({ externalKey: 'k', content: 'a', scope: { team: 'x' } }),
    // @ts-expect-error a subject key is a number or a string
    () => client.ingest({ content: 'a', subjectKey: true }),
    // @ts-expect-error a switch is a boolean
    () => client.search({ query: 'a', exact: 'true' }),
    // @ts-expect-error no such mode
    () => client.search({ query: 'a', mode: 'fuzzy' }),
    // @ts-expect-error no such key of a filter
    () => client.recent({ filter: { team: 'x' } }),
    // @ts-expect-error a match compares scalars
    () => client.recent({ filter: { match: { team: ['x'] } } }),
    // @ts-expect-error no such operator
    () => client.recent({ filter: { where: { team: { like: 'x' } } } }),
    // @ts-expect-error a bound is a number or a string
    () => client.recent({ filter: { where: { size: { gte: true } } } }),
    // @ts-expect-error since is required
    () => client.changes({}),
    // @ts-expect-error options are the last argument
    () => client.recent({ signal: AbortSignal.abort() }),
    // @ts-expect-error no such option
    () => client.recent({}, { retries: 3 }),
    // @ts-expect-error an id is a string
    () => client.get(7),
    // @ts-expect-error no such type of subject keys
    () => client.settings.update({ subjectKeyType: 'uuid' }),
    // @ts-expect-error no such role
    () => client.members.update('id', { role: 'admin' }),
    // @ts-expect-error the name is required
    () => client.tokens.create({ abilities: [] }),
  ];

  expect(wrong).toHaveLength(19);
});

test('outcomes, changes and statuses have only known values', async () => {
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

test('error codes are those of the contract, and those of a newer service', () => {
  expectTypeOf<'content_conflict' | 'quota_exceeded'>().toExtend<ErrorCode>();
  expectTypeOf<'of_the_future'>().toExtend<ErrorCode>();
  expectTypeOf<ErrorCode>().not.toEqualTypeOf<string>();
  // @ts-expect-error no such code in this version
  expectTypeOf<'of_the_future'>().toExtend<(typeof ERROR_CODES)[number]>();
});

test('errors have typed members', () => {
  expectTypeOf<NotFoundError['status']>().toBeNumber();
  expectTypeOf<NotFoundError['code']>().toEqualTypeOf<ErrorCode | undefined>();
  expectTypeOf<NotFoundError['details']>().toExtend<readonly { path: string; message: string }[]>();
  // @ts-expect-error only a conflict has the id of the conflicting memory
  expectTypeOf<NotFoundError['id']>().toBeAny();
});
