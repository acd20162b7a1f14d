import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MemoryClient } from '../client.js';
import { NotFoundError } from '../errors.js';
import { StandInService } from '../testing/index.js';
import type { Filter } from '../transport/requests.js';
import { ScopeError } from './scope.js';

const standIn = new StandInService();
const network = setupServer(...standIn.handlers);
const client = new MemoryClient({ baseUrl: standIn.baseUrl, token: 'any' });
const ana = client.forSubject('ana');
const ben = client.forSubject('ben');
const acme = client.scoped({ subjectKey: 'ana', project: 'acme', metadata: { public: true } });

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterEach(() => standIn.reset());
afterAll(() => network.close());

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Creates a client that records its requests instead of sending them. */
function recorder() {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init));
    return Response.json({ results: [], changes: [], memories: [], meta: {} });
  };
  return { requests, client: new MemoryClient({ baseUrl: 'http://memory.test', token: 'any', fetch }) };
}

test('storing a content that another project has does not move it from there', async () => {
  const [one, other] = [client.scoped({ project: 'one' }), client.scoped({ project: 'other' })];
  const { id } = await one.ingest({ content: 'The build runs at noon.' });

  const near = await other.ingest({ content: 'the build runs at noon' });
  const equal = other.ingest({ content: 'The build runs at noon.' });

  await expect(equal).rejects.toMatchObject({ status: 409, code: 'content_conflict' });
  expect(near.outcome).toBe('created');
  expect((await one.get(id)).metadata).toEqual({ project: 'one' });
});

describe('a scope', () => {
  test.each([
    ['no value', {}],
    ['a subject key that is not defined', { subjectKey: undefined }],
    ['a subject key that is null', { subjectKey: null }],
    ['an empty subject key', { subjectKey: '' }],
    ['a subject key that is not a number', { subjectKey: Number.NaN }],
    ['a project that is not defined', { subjectKey: 'ana', project: undefined }],
    ['an unknown key', { subjectKey: 'ana', team: 'a' }],
    ['an object in the metadata', { metadata: { a: {} } }],
    ['a number that JSON does not have', { metadata: { a: Number.NaN } }],
    ['metadata that is not metadata', { metadata: { externalKey: 'a' } }],
    ['a key twice', { project: 'acme', metadata: { project: 'other' } }],
  ])('with %s is rejected before anything is sent', (_, scope) => {
    expect(() => client.scoped(scope as object)).toThrow(ScopeError);
  });

  test('of a subject that is not known is rejected', () => {
    expect(() => client.forSubject(undefined as unknown as string)).toThrow(ScopeError);
  });
});

describe('writes of a scoped client', () => {
  test('set the values of the scope', async () => {
    const written = await acme.ingest({ content: 'one', metadata: { kind: 'note' } });
    const keyed = await acme.upsert({ externalKey: 'k', content: 'two' });
    await acme.ingestBatch({ items: [{ content: 'three' }, { content: 'four', externalKey: 'l' }] });

    const metadata = { project: 'acme', public: true };
    const scope = { source: 'subject:ana', project: 'acme' };
    expect(written).toMatchObject({ subjectKey: 'ana', metadata: { ...metadata, kind: 'note' } });
    expect(keyed).toMatchObject({ subjectKey: 'ana', metadata, scope });
    expect(standIn.memories.slice(2)).toMatchObject([
      { content: 'three', subjectKey: 'ana', metadata },
      { content: 'four', subjectKey: 'ana', metadata, scope },
    ]);
  });

  test('accept the values of the scope, and reject others without a request', async () => {
    const { requests, client } = recorder();
    const scoped = client.scoped({ subjectKey: 'ana', metadata: { team: 'a' } }) as ReturnType<
      typeof client.scoped<{ subjectKey: string; metadata: { team: string } }>
    >;

    await scoped.ingest({ content: 'a', subjectKey: 'ana', metadata: { team: 'a' } });
    const refused = [
      scoped.ingest({ content: 'a', subjectKey: 'ben' }),
      scoped.ingest({ content: 'a', metadata: { team: 'b' } }),
      scoped.upsert({ externalKey: 'k', content: 'a', scope: { source: 'ben' } }),
      scoped.ingestBatch({ items: [{ content: 'a' }, { content: 'b', subjectKey: 'ben' }] }),
      scoped.update('id-1', { subjectKey: 'ben' }),
      scoped.update('id-1', { metadata: { team: 'b' } }),
      scoped.search({ query: 'a', filter: { match: { team: 'b' } } }),
      scoped.recent({ filter: { subjectKey: 'ben' } as Filter }),
      scoped.deleteMany({ filter: { match: { team: 'b' } }, expectedCount: 1 }),
      collect(scoped.export({ filter: { match: { team: 'b' } } })),
      collect(scoped.changes({ since: new Date(0), filter: { match: { team: 'b' } } }).pages()),
      collect(scoped.follow({ filter: { match: { team: 'b' } } })),
    ];

    const outcomes = await Promise.allSettled(refused);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof ScopeError)).toEqual(
      refused.map(() => true),
    );
    expect(requests).toHaveLength(1);
  });

  test('under equal keys of two subjects make two memories', async () => {
    const one = await ana.upsert({ externalKey: 'profile', content: 'Likes tea.' });
    const other = await ben.upsert({ externalKey: 'profile', content: 'Likes coffee.' });
    const again = await ana.upsert({ externalKey: 'profile', content: 'Likes green tea.' });

    expect([one.outcome, other.outcome, again.outcome]).toEqual(['created', 'created', 'updated']);
    expect([again.id, again.subjectKey]).toEqual([one.id, 'ana']);
  });

  test('keep the metadata of the scope when metadata is replaced', async () => {
    const { id } = await acme.ingest({ content: 'a', metadata: { kind: 'note' } });

    const updated = await acme.update(id, { metadata: { kind: 'page' }, metadataReplace: true });

    expect(updated.metadata).toEqual({ kind: 'page', project: 'acme', public: true });
  });
});

describe('reads of a scoped client', () => {
  test('return only memories of the scope', async () => {
    await ana.ingestBatch({ items: ['tea at four', 'tea at five'].map((content) => ({ content })) });
    await ben.ingest({ content: 'tea at six' });
    await acme.ingest({ content: 'tea at seven' });

    const { results } = await ben.search({ query: 'tea', limit: 5 });
    const found = await acme.search({ query: 'tea', limit: 5 });

    expect(results.map(({ content }) => content)).toEqual(['tea at six']);
    expect(found.results.map(({ content }) => content)).toEqual(['tea at seven']);
    expect((await ana.recent()).results).toHaveLength(3);
    expect((await ana.stats()).meta).toEqual({ total: 4, filtered: 3 });
    expect(await collect(ben.export())).toHaveLength(1);
    expect(await collect(ben.changes({ since: new Date(0) }))).toMatchObject([{ subjectKey: 'ben' }]);
    expect((await ana.similar(standIn.memories[0]!.id)).results.map(({ subjectKey }) => subjectKey)).not.toContain(
      'ben',
    );
  });

  test('follow only the changes of the scope', async () => {
    await ana.ingest({ content: 'hers' });
    await ben.ingest({ content: 'his' });

    for await (const change of ben.follow()) {
      expect(change).toMatchObject({ content: 'his', subjectKey: 'ben' });
      break;
    }
  });

  test('join the filter of a call with the scope', async () => {
    const { requests, client } = recorder();
    const scoped = client.scoped({ subjectKey: 7, project: 'acme' });

    await scoped.search({ query: 'a', filter: { kind: 'note', match: { a: 1 }, where: { size: { gt: 3 } } } });
    await scoped.browse.list({ filter: { kind: 'note' } });
    await scoped.browse.count({ interval: 'day', since: '2026-01-01' });

    const filter = { kind: 'note', match: { a: 1, project: 'acme' }, where: { size: { gt: 3 } }, subjectKey: 7 };
    expect(await requests[0]!.json()).toEqual({ query: 'a', filter });
    expect(requests.slice(1).map(({ url }) => JSON.parse(new URL(url).searchParams.get('filter')!))).toEqual([
      { kind: 'note', match: { project: 'acme' }, subjectKey: 7 },
      { match: { project: 'acme' }, subjectKey: 7 },
    ]);
  });
});

describe('ids of a scoped client', () => {
  test('of memories outside the scope are not found, and nothing changes', async () => {
    const { id } = await ben.ingest({ content: 'his' });
    await ben.ingest({ content: 'his too' });
    const gone = await ben.ingest({ content: 'gone' });
    await ben.delete(gone.id);
    const before = standIn.memories;

    const calls = [
      ana.get(id),
      ana.similar(id),
      ana.update(id, { content: 'hers' }),
      ana.delete(id),
      ana.restore(gone.id),
      ana.purge(gone.id),
      acme.get(id),
    ];

    for (const call of calls) await expect(call).rejects.toThrow(NotFoundError);
    expect(standIn.memories).toEqual(before);
    await expect(ben.get(gone.id, { includeDeleted: true })).resolves.toHaveProperty('deletedAt');
  });

  test('of memories in the scope work as with the client', async () => {
    const { id } = await ana.ingest({ content: 'hers' });

    const { data, requestId } = await ana.get(id).withResponse();
    const updated = await ana.update(id, { content: 'still hers' });
    await ana.delete(id);
    const restored = await ana.restore(id);
    await ana.delete(id);
    await ana.purge(id);

    expect([data.content, requestId]).toEqual(['hers', expect.any(String)]);
    expect([updated.outcome, restored.content]).toEqual(['updated', 'still hers']);
    await expect(ana.get(id, { includeDeleted: true })).rejects.toThrow(NotFoundError);
  });
});

test('deleteMany of a scoped client deletes only what is in the scope', async () => {
  await ana.ingestBatch({ items: [{ content: 'a' }, { content: 'b' }] });
  await ben.ingest({ content: 'c' });

  await expect(ana.deleteMany({ expectedCount: 3 })).rejects.toMatchObject({ code: 'count_mismatch', count: 2 });
  expect(await ana.deleteMany({ expectedCount: 2 })).toMatchObject({ deleted: 2 });
  expect(standIn.memories.map(({ content }) => content)).toEqual(['c']);
});

test('documents of a subject are apart from those of others', async () => {
  const metadata = { documentId: 'handbook', chunkIndex: 0, chunkTotal: 1 };
  await ana.ingest({ content: 'hers', metadata });
  await ben.ingest({ content: 'his', metadata });

  expect(await ana.documents.get('handbook')).toMatchObject({ content: 'hers' });
  expect(await collect(ben.documents.list())).toMatchObject([{ subjectKey: 'ben' }]);
  expect(await ben.documents.delete('handbook')).toMatchObject({ deleted: 1 });
  expect(standIn.memories.map(({ content }) => content)).toEqual(['hers']);
});
