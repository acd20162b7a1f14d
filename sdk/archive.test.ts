import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../server/testing/app/test-app.js';
import {
  ArchiveError,
  type ArchiveHeader,
  ArchiveImportError,
  exportAll,
  exportRecords,
  importAll,
} from './archive.js';
import { MemoryClient } from './client.js';

function clientOf({ port }: TestApp, token: string): MemoryClient {
  return new MemoryClient({ baseUrl: `http://127.0.0.1:${port}`, token, maxRetryDelayMs: 1 });
}

async function aClient(): Promise<{ app: TestApp; client: MemoryClient }> {
  const app = await testApp();
  return { app, client: clientOf(app, app.token) };
}

/** Creates memories of all kinds: with keys in several scopes, with subjects, chunks, changed and deleted ones. */
async function fill(client: MemoryClient): Promise<void> {
  await client.settings.update({ subjectKeyType: 'string' });
  const about = await client.ingest({
    content: 'Likes tea.',
    subjectKey: 'ana',
    metadata: { 10: 'a', 2: [0.5, null] },
  });
  await client.ingest({ content: 'Likes tea.', subjectKey: 'ben' });
  for (const scope of [{ source: 's' }, { project: 'p' }, undefined]) {
    await client.upsert({ externalKey: 'k', content: `Scoped ${JSON.stringify(scope)}`, ...(scope && { scope }) });
  }
  for (const chunkIndex of [0, 1]) {
    await client.ingest({ content: 'Same.', metadata: { documentId: 'd', chunkIndex, chunkTotal: 2 } });
  }
  for (let n = 0; n < 60; n += 1) await client.ingest({ content: `Number ${n}.\u2028Ünïcode 😀` });
  for (const externalKey of ['copy', undefined]) {
    await client.ingest({ content: 'Likes tea.', externalKey, dedupe: 'off' });
  }
  const gone = await client.ingest({ content: 'Gone.' });
  await client.delete(gone.id);
  await client.update(about.id, { content: 'Likes water.', subjectKey: 'carl' });
  await client.update(about.id, { content: 'Likes coffee.' });
}

async function archiveOf(client: MemoryClient): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportAll(client)) lines.push(line);
  return lines;
}

function headerOf(archive: readonly string[]): ArchiveHeader {
  return JSON.parse(archive[0] ?? '') as ArchiveHeader;
}

describe('an archive', () => {
  test('imported into an empty organization, exports the same lines again', async () => {
    const { app, client } = await aClient();
    await fill(client);
    const archive = await archiveOf(client);
    const { client: other } = await aClient();
    await other.settings.update({ subjectKeyType: 'string' });

    const imported = await importAll(other, archive);
    const again = await importAll(other, archive);

    const back = await archiveOf(other);
    expect(headerOf(archive)).toMatchObject({
      version: 2,
      organizationId: app.organizationId,
      counts: { memories: 70, deleted: 1, versions: 2 },
    });
    expect(archive.slice(-2).map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { kind: 'version', version: 1, content: 'Likes tea.', subjectKey: 'ana' },
      { kind: 'version', version: 2, content: 'Likes water.', subjectKey: 'carl' },
    ]);
    expect(imported).toMatchObject({ created: 70, present: 0, versions: { created: 2, present: 0 }, failures: [] });
    expect(again).toMatchObject({ created: 0, present: 70, versions: { created: 0, present: 2 }, failures: [] });
    expect(back.slice(1)).toEqual(archive.slice(1));
    expect(headerOf(back).digest).toBe(headerOf(archive).digest);
  });

  test('without memories is valid', async () => {
    const { client } = await aClient();

    const archive = await archiveOf(client);

    expect(archive).toHaveLength(1);
    expect(await importAll(client, archive)).toMatchObject({ created: 0, present: 0, failures: [] });
  });

  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['cut off', (lines) => lines.slice(0, -1), /incomplete: it contains 1 of 2 versions/],
    ['without a memory', ([header, , ...lines]) => [header!, ...lines], /incomplete: it contains 69 of 70 memories/],
    ['cut off within a line', (lines) => [...lines.slice(0, -1), '{"id":"01'], /not a JSON object/],
    ['changed', (lines) => lines.map((line) => line.replace('Likes coffee', 'Likes water')), /digest/],
    ['in another order', (lines) => [lines[0]!, ...lines.slice(1).reverse()], /digest/],
    ['without its header', (lines) => lines.slice(1), /not a header/],
    [
      'of a later version',
      ([header, ...lines]) => [header!.replace('"version":2', '"version":3'), ...lines],
      /version 3, but this release reads versions 1 and 2/,
    ],
    ['with records of another kind', (lines) => [...lines, '{"kind":"picture"}'], /kind picture/],
    ['empty', () => [], /empty/],
  ])('that is %s is rejected before anything is imported', async (_, damage, reason) => {
    const { client } = await aClient();
    await fill(client);
    const damaged = damage(await archiveOf(client));
    const { client: other } = await aClient();

    const importing = importAll(other, damaged);

    await expect(importing).rejects.toThrow(ArchiveError);
    await expect(importing).rejects.toThrow(reason);
    expect((await other.stats({ includeDeleted: true })).meta.total).toBe(0);
  });

  test('of format version 1, which has no versions of memories, can be imported', async () => {
    const { client } = await aClient();
    await client.ingest({ content: 'Likes tea.' });
    const [header = '', ...lines] = await archiveOf(client);
    const { counts, ...rest } = JSON.parse(header) as ArchiveHeader;
    const { memories, deleted } = counts;
    const old = [JSON.stringify({ ...rest, version: 1, counts: { memories, deleted } }), ...lines];
    const { client: other } = await aClient();

    const imported = await importAll(other, old);

    expect(imported).toMatchObject({ created: 1, failures: [] });
    expect((await archiveOf(other)).slice(1)).toEqual(lines);
  });

  test('about one subject contains only versions about it', async () => {
    const { client } = await aClient();
    await fill(client);
    const records: { content: string }[] = [];

    for await (const line of exportRecords(client, { filter: { subjectKey: 'carl' } })) records.push(JSON.parse(line));

    expect(records.map(({ content }) => content)).toEqual(['Likes coffee.', 'Likes water.']);
  });

  test('reports how many versions the organization does not keep', async () => {
    const { client } = await aClient();
    await fill(client);
    const archive = await archiveOf(client);
    const { client: other } = await aClient();
    await other.settings.update({ subjectKeyType: 'string', keptVersions: 0 });

    const imported = await importAll(other, archive);

    expect(imported).toMatchObject({ created: 70, versions: { created: 0, present: 0, notKept: 2 }, failures: [] });
  });

  test('is resumed by the same call after a failure', async () => {
    const { client } = await aClient();
    await fill(client);
    const archive = await archiveOf(client);
    const { client: other } = await aClient();

    const refused = importAll(other, archive);
    await expect(refused).rejects.toThrow(ArchiveImportError);
    await expect(refused).rejects.toMatchObject({ code: 'subject_key_invalid' });
    await other.settings.update({ subjectKeyType: 'string' });
    await importAll(other, archive);

    const ids = (lines: readonly string[]) => lines.slice(1).map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids(await archiveOf(other)).toSorted()).toEqual(ids(archive).toSorted());
  });

  test('reports memories that conflict with others', async () => {
    const { app, client } = await aClient();
    await client.ingest({ content: 'Taken.' });
    await client.ingest({ content: 'Free.' });
    const archive = await archiveOf(client);
    const organization = await foundOrganization(app.deps);
    const other = clientOf(app, organization.token);
    await other.ingest({ content: 'Taken.' });

    const imported = await importAll(other, archive);

    const { id } = JSON.parse(archive[1] ?? '') as { id: string };
    expect(imported).toMatchObject({ created: 1, present: 0, failures: [{ id, code: 'content_conflict' }] });
  });
});
