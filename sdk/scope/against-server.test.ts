import { expect, test } from 'vitest';
import { testApp } from '../../server/testing/app/test-app.js';
import { MemoryClient } from '../client.js';
import { NotFoundError } from '../errors.js';

async function connect(): Promise<MemoryClient> {
  const { port, token } = await testApp();
  const client = new MemoryClient({ baseUrl: `http://127.0.0.1:${port}`, token });
  await client.settings.update({ subjectKeyType: 'string' });
  return client;
}

test('clients of two subjects do not see or change memories of each other', async () => {
  const client = await connect();
  const ana = client.forSubject('Ana\u0308');
  const ben = client.forSubject('ben');
  await ana.ingestBatch({
    items: Array.from({ length: 12 }, (_, index) => ({ content: `Ana drinks tea at ${index}.` })),
  });

  const { id, subjectKey } = await ben.ingest({ content: 'Ben drinks tea.' });
  const { results } = await ben.search({ query: 'Who drinks tea?', limit: 5 });
  const hers = await ana.upsert({ externalKey: 'diet', content: 'No sugar.' });
  const his = await ben.upsert({ externalKey: 'diet', content: 'No milk.' });

  expect(subjectKey).toBe('ben');
  expect(results.map((result) => result.id)).toEqual([id]);
  expect([hers.outcome, his.outcome, his.scope]).toEqual(['created', 'created', { source: 'subject:ben' }]);
  expect((await ana.get(hers.id)).subjectKey).toBe('An\u00e4');
  for (const call of [ana.get(id), ana.update(id, { content: 'x' }), ana.similar(id), ana.delete(id)]) {
    await expect(call).rejects.toThrow(NotFoundError);
  }
  expect((await ana.stats()).meta.filtered).toBe(13);
  expect(
    await ana.deleteMany({ filter: { where: { createdAt: { gt: '2020-01-01' } } }, expectedCount: 13 }),
  ).toMatchObject({ deleted: 13 });
  expect((await client.recent()).results.map((memory) => memory.subjectKey)).toEqual(['ben', 'ben']);
});

test('a scope of metadata binds reads, writes, changes and documents', async () => {
  const client = await connect();
  const acme = client.scoped({ subjectKey: 'ana', project: 'acme', metadata: { level: 3 } });
  const inAcme = await acme.ingest({ content: 'The build runs at noon.', metadata: { kind: 'note' } });
  await client.forSubject('ana').ingest({ content: 'The build runs at night.', metadata: { project: 'other' } });

  const replaced = await acme.update(inAcme.id, { metadata: { kind: 'page' }, metadataReplace: true });
  const { results } = await acme.search({ query: 'When does the build run?', filter: { kind: 'page' } });
  const { changes } = await acme.changes({ since: new Date(0) });
  const { memories } = await acme.export();

  expect(replaced.metadata).toEqual({ kind: 'page', project: 'acme', level: 3 });
  expect([results, changes, memories].map((list) => list.map(({ id }) => id))).toEqual([
    [inAcme.id],
    [inAcme.id],
    [inAcme.id],
  ]);
});

test('storing a content that another project has does not move it from there', async () => {
  const client = await connect();
  const [acme, other] = [client.scoped({ project: 'acme' }), client.scoped({ project: 'other' })];
  const { id } = await acme.ingest({ content: 'The build runs at noon.' });

  const near = await other.ingest({ content: 'the build runs at noon' });
  const equal = other.ingest({ content: 'The build runs at noon.' });

  await expect(equal).rejects.toMatchObject({ status: 409, code: 'content_conflict' });
  expect(near.outcome).toBe('created');
  expect((await acme.get(id)).metadata).toEqual({ project: 'acme' });
});

test('documents of a subject are apart from those of others', async () => {
  const client = await connect();
  const metadata = { documentId: 'handbook', chunkIndex: 0, chunkTotal: 1 };
  for (const key of ['ana', 'ben']) await client.forSubject(key).ingest({ content: `About ${key}.`, metadata });

  const { documents } = client.forSubject('ana');

  expect(await documents.get('handbook')).toMatchObject({ content: 'About ana.' });
  expect((await documents.list()).documents).toMatchObject([{ subjectKey: 'ana' }]);
  expect(await documents.delete('handbook')).toMatchObject({ deleted: 1 });
  expect(await client.forSubject('ben').documents.get('handbook')).toMatchObject({ content: 'About ben.' });
});
