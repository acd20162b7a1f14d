import { expect, expectTypeOf, test } from 'vitest';
import { MemoryClient } from '../client.js';
import type { ScopedChange } from './scoped-client.js';

// The compiler checks these claims when it reads the file. Nothing is sent.

const client = new MemoryClient({ baseUrl: 'http://memory.test', token: '' });
const userId: string = 'user-1';
const ana = client.forSubject('ana');
const user = client.forSubject(userId);
const acme = client.scoped({ subjectKey: 7, project: 'acme', metadata: { tier: 'gold', pages: 3 } });
const project = client.scoped({ project: 'acme' });

test('values that contradict the scope do not compile', () => {
  const wrong: (() => unknown)[] = [
    // @ts-expect-error another subject
    () => ana.ingest({ content: 'a', subjectKey: 'ben' }),
    // @ts-expect-error another type of subject
    () => user.ingest({ content: 'a', subjectKey: 7 }),
    // @ts-expect-error another project
    () => acme.ingest({ content: 'a', metadata: { project: 'other' } }),
    // @ts-expect-error another value of a metadata key
    () => acme.upsert({ externalKey: 'k', content: 'a', metadata: { tier: 'silver' } }),
    // @ts-expect-error another value in an item
    () => acme.ingestBatch({ items: [{ content: 'a', metadata: { pages: 4 } }] }),
    // @ts-expect-error another subject in a change
    () => ana.update('id-1', { subjectKey: 'ben' }),
    // @ts-expect-error a filter leaves out the subject
    () => ana.search({ query: 'a', filter: { subjectKey: 'ana' } }),
    // @ts-expect-error a filter leaves out the project
    () => acme.recent({ filter: { project: 'acme' } }),
    // @ts-expect-error a scope deletes by filter
    () => ana.deleteMany({ ids: ['id-1'] }),
    // @ts-expect-error a scope has no imports
    () => ana.importMemories({ items: [] }),
    // @ts-expect-error documents belong to subjects
    () => project.documents,
    // @ts-expect-error no such value
    () => client.scoped({ subjectKey: 'ana', team: 'a' }),
    // @ts-expect-error a subject is a string or a number
    () => client.forSubject(undefined),
    // @ts-expect-error metadata of a scope are scalars
    () => client.scoped({ metadata: { tags: ['a'] } }),
  ];

  expect(wrong).toHaveLength(14);
});

test('memories have the types of the values', () => {
  type Written = Awaited<ReturnType<typeof acme.ingest>>;
  type Found = Awaited<ReturnType<typeof acme.search>>['results'][number];
  expectTypeOf<Written['subjectKey']>().toEqualTypeOf<7>();
  expectTypeOf<Written['metadata']['project']>().toEqualTypeOf<'acme'>();
  expectTypeOf<Found['metadata']['tier']>().toEqualTypeOf<'gold'>();
  expectTypeOf<Found['metadata']['other']>().toBeUnknown();
  expectTypeOf<Found['score']>().toBeNumber();

  expectTypeOf<Awaited<ReturnType<typeof user.get>>['subjectKey']>().toBeString();
  expectTypeOf<Awaited<ReturnType<typeof project.get>>['subjectKey']>().toEqualTypeOf<number | string | undefined>();
});

test('changes keep their two forms', () => {
  const change = { change: 'deleted', id: 'a', deletedAt: '', updatedAt: '' } as ScopedChange<{ project: 'acme' }>;
  if (change.change === 'deleted') {
    // @ts-expect-error a deleted memory has no metadata
    expect(change.metadata).toBeUndefined();
  } else expectTypeOf(change.metadata.project).toEqualTypeOf<'acme'>();
});
