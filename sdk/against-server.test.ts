import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../server/testing/app/test-app.js';
import { MemoryClient } from './client.js';
import { DocumentSyncError, syncDocument } from './documents/sync-document.js';
import { ConflictError, ForbiddenError, NotFoundError, UnauthenticatedError, UnprocessableError } from './errors.js';
import type { CursorStore } from './follow.js';
import type { Change } from './resources/memories.js';

async function connect(): Promise<{ app: TestApp; client: MemoryClient }> {
  const app = await testApp();
  return { app, client: clientOf(app) };
}

function clientOf({ port, token }: TestApp, options: { token?: string; organizationId?: string } = {}): MemoryClient {
  return new MemoryClient({ baseUrl: `http://127.0.0.1:${port}`, token, maxRetryDelayMs: 1, ...options });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('a client of a running service', () => {
  test('writes, reads, changes and deletes a memory', async () => {
    const { client } = await connect();

    const written = await client.ingest({ content: 'Ana leads the platform team.', metadata: { kind: 'note' } });
    const replayed = await client.ingest({ content: 'Ana leads the platform team.' });
    const updated = await client.update(written.id, { metadata: { team: 'platform' } });
    const read = await client.get(written.id);
    await client.delete(written.id);

    expect([written.outcome, replayed.outcome, updated.outcome]).toEqual(['created', 'deduplicated', 'updated']);
    expect(read).toMatchObject({ id: written.id, metadata: { kind: 'note', team: 'platform' } });
    await expect(client.get(written.id)).rejects.toThrow(NotFoundError);
    expect(await client.get(written.id, { includeDeleted: true })).toHaveProperty('deletedAt');
  });

  test('searches, counts and lists the memories that a filter matches', async () => {
    const { client } = await connect();
    await client.ingestBatch({
      items: [
        { content: 'Ana leads the platform team.', metadata: { kind: 'note' } },
        { content: 'Deploys run on Fridays.', metadata: { kind: 'page' } },
        { content: ' ' },
      ],
    });
    const filter = { kind: 'note' };

    const found = await client.search({ query: 'who leads the team', filter });
    const recent = await client.recent({ filter, limit: 5 });
    const stats = await client.stats({ filter });

    expect(found.results.map(({ content }) => content)).toEqual(['Ana leads the platform team.']);
    expect(recent.meta.count).toBe(1);
    expect(stats.meta).toEqual({ total: 2, filtered: 1 });
  });

  test('iterates over all memories and all changes, page by page', async () => {
    const { client } = await connect();
    const items = Array.from({ length: 7 }, (_, index) => ({ content: `fact number ${index}` }));
    const { results } = await client.ingestBatch({ items });
    const ids = results.flatMap((result) => ('id' in result ? [result.id] : []));

    const exported = await collect(client.export({ limit: 3 }));
    const changed = await collect(client.changes({ since: new Date(0), limit: 3 }));

    expect(exported.map(({ id }) => id)).toEqual(ids);
    expect(changed.map(({ id, change }) => [id, change])).toEqual(ids.map((id) => [id, 'created']));
  });

  test('throws errors that say why a request was rejected', async () => {
    const { app, client } = await connect();
    await client.upsert({ externalKey: 'k', content: 'one' });

    await expect(client.ingest({ content: 'two', externalKey: 'k' })).rejects.toThrow(ConflictError);
    await expect(client.ingest({ content: ' ' })).rejects.toThrow(UnprocessableError);
    await expect(clientOf(app, { token: 'msk_wrong' }).recent()).rejects.toThrow(UnauthenticatedError);
    await expect(clientOf(app, { organizationId: crypto.randomUUID() }).recent()).rejects.toThrow(ForbiddenError);
    await expect(client.recent({ limit: 51 })).rejects.toMatchObject({
      status: 422,
      code: 'validation_failed',
      details: [{ path: 'limit' }],
      requestId: expect.any(String),
    });
  });

  test('manages tokens and members, and reads the audit log', async () => {
    const { app, client } = await connect();

    const created = await client.tokens.create({ name: 'reader', abilities: ['memory:search'] });
    const reader = clientOf(app, { token: created.token });
    const who = await reader.session.get();
    await expect(reader.ingest({ content: 'a' })).rejects.toMatchObject({ code: 'ability_denied' });
    await client.tokens.revoke(created.id);

    expect(who.credential.id).toBe(created.id);
    await expect(reader.recent()).rejects.toThrow(UnauthenticatedError);
    expect((await collect(client.tokens.list({ limit: 1 }))).length).toBeGreaterThan(0);
    expect((await client.members.list()).members).toMatchObject([{ role: 'owner' }]);
    expect((await client.usage.get()).ingest.used).toBe(0);
    const actions = (await collect(client.audit.list({ limit: 1 }))).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['token.create', 'token.revoke']));
  });

  test('invites a person, who then signs in, writes in the session and signs out', async () => {
    const { app, client } = await connect();
    const { link = '' } = await client.invitations.create({ email: 'ana@example.test', role: 'member' });
    const guest = clientOf(app, { token: '' });
    const password = 'a long and secret phrase';

    await guest.invitations.accept({ token: link.split('/').at(-1)!, email: 'Ana@Example.test', password });
    const info = await guest.session.signIn({ email: 'ana@example.test', password });
    const written = await guest.ingest({ content: 'Written in a session.' });
    await guest.session.changePassword({ currentPassword: password, newPassword: `${password}, another` });
    await guest.session.signOut();

    expect(info.credential.type).toBe('session');
    expect(written.outcome).toBe('created');
    await expect(guest.recent()).rejects.toThrow(UnauthenticatedError);
    expect((await collect(client.members.list())).map(({ role }) => role).sort()).toEqual(['member', 'owner']);
    expect((await client.invitations.list()).invitations).toEqual([]);
  });

  test('reads settings and health', async () => {
    const { client } = await connect();

    expect(await client.settings.update({ subjectKeyType: 'string' })).toMatchObject({ subjectKeyType: 'string' });
    expect(await client.settings.get()).toMatchObject({ subjectKeyType: 'string' });
    expect(await client.health.live()).toEqual({ status: 'ok' });
    expect(await client.health.ready()).toMatchObject({ status: 'ok' });
  });

  test('follows the changes to an equal copy, although it stops within every other page', async () => {
    const { client } = await connect();
    const copy = new Copy();
    for (const colour of ['red', 'green', 'blue', 'grey']) {
      const items = ['cars', 'boats', 'planes'].map((things) => ({ content: `Nobody sells ${colour} ${things}.` }));
      const { results } = await client.ingestBatch({ items });
      await client.delete(results.flatMap((result) => ('id' in result ? [result.id] : []))[0]!);

      let left = 3;
      for await (const change of client.follow({ includeDeleted: true, limit: 2 }, { cursors: copy })) {
        copy.apply(change);
        left -= 1;
        if (left === 0) break;
      }
    }

    for await (const change of client.changes({ since: new Date(0), cursor: copy.load(), includeDeleted: true })) {
      copy.apply(change);
    }

    const stored = await collect(client.export());
    expect([...copy.contents].sort()).toEqual(stored.map(({ id, content }) => [id, content]).sort());
    expect(stored).toHaveLength(8);
  });
});

/** Another store, which keeps its cursor. */
class Copy implements CursorStore {
  readonly contents = new Map<string, string>();
  #cursor: string | undefined;

  load(): string | undefined {
    return this.#cursor;
  }

  save(cursor: string): void {
    this.#cursor = cursor;
  }

  apply(change: Change): void {
    if (change.change === 'deleted') this.contents.delete(change.id);
    else this.contents.set(change.id, change.content);
  }
}

describe('a document synced with the service', () => {
  const paragraphs = (numbers: number[]) => numbers.map((n) => `Paragraph ${n} tells of matter ${n}.`).join('\n\n');
  const documentId = 'handbook';

  async function stored(client: MemoryClient): Promise<string> {
    const chunks = await collect(client.export({ filter: { documentId } }));
    const inOrder = chunks.sort((one, other) => Number(one.metadata.chunkIndex) - Number(other.metadata.chunkIndex));
    expect(inOrder.map(({ metadata }) => metadata.chunkIndex)).toEqual(inOrder.map((_, index) => index));
    expect(inOrder.every(({ metadata }) => metadata.chunkTotal === inOrder.length)).toBe(true);
    return inOrder.map(({ content }) => content).join('');
  }

  test('is stored in chunks, and a second sync changes nothing', async () => {
    const { client } = await connect();
    const text = paragraphs([1, 2, 3, 4, 5]);

    const first = await syncDocument(client, {
      documentId,
      text,
      maxLength: 40,
      metadata: { project: 'docs' },
      batchItems: 2,
    });
    const again = await syncDocument(client, { documentId, text, maxLength: 40, metadata: { project: 'docs' } });

    expect(first).toEqual({ documentId, chunkTotal: 5, created: 5, kept: 0, deleted: 0 });
    expect(again).toEqual({ documentId, chunkTotal: 5, created: 0, kept: 5, deleted: 0 });
    expect(await stored(client)).toBe(text);
  });

  test('stays equal when paragraphs are added, moved, deleted and added again', async () => {
    const { client } = await connect();
    const versions = [
      [1, 2, 3],
      [9, 1, 2, 3],
      [2, 3],
      [3, 2],
      [1, 2, 3, 4],
    ];

    for (const version of versions) {
      const text = paragraphs(version);
      await syncDocument(client, { documentId, text, maxLength: 40 });
      expect(await stored(client)).toBe(text);
    }
  });

  test('keeps each of several equal paragraphs when they are added, moved and deleted', async () => {
    const { client } = await connect();
    const versions = [
      [1, 1, 2],
      [9, 1, 1],
      [1, 1, 1],
      [2, 1, 1],
      [9, 1, 2, 1, 2],
      [2, 2, 1, 1],
      [1],
      [7, 7, 7, 7],
      [3, 7, 7],
    ];

    for (const version of versions) {
      const text = paragraphs(version);
      const synced = await syncDocument(client, { documentId, text, maxLength: 40, batchItems: 3 });
      expect(await stored(client)).toBe(text);
      const again = await syncDocument(client, { documentId, text, maxLength: 40 });
      expect(again).toMatchObject({ created: 0, kept: synced.chunkTotal, deleted: 0 });
    }
  });

  test('may share paragraphs with another document', async () => {
    const { client } = await connect();
    await syncDocument(client, { documentId: 'another', text: paragraphs([1, 2, 3]), maxLength: 40 });

    const synced = await syncDocument(client, { documentId, text: paragraphs([2, 3]), maxLength: 40 });

    expect(synced).toMatchObject({ created: 2, kept: 0, deleted: 0 });
    expect(await stored(client)).toBe(paragraphs([2, 3]));
    expect(await collect(client.export({ filter: { documentId: 'another' } }))).toHaveLength(3);
  });

  test('keeps its subject', async () => {
    const { client } = await connect();
    await client.settings.update({ subjectKeyType: 'integer' });

    await syncDocument(client, { documentId, text: 'About a person.', subjectKey: 7 });

    expect((await client.recent({ filter: { subjectKey: 7 } })).meta.count).toBe(1);
  });

  test('does not change the document of another subject', async () => {
    const { client } = await connect();
    await client.settings.update({ subjectKeyType: 'integer' });
    await syncDocument(client, { documentId, text: paragraphs([1, 2]), maxLength: 40, subjectKey: 7 });

    await syncDocument(client, { documentId, text: paragraphs([3, 4]), maxLength: 40, subjectKey: 8 });
    const synced = await syncDocument(client, { documentId, text: paragraphs([4]), maxLength: 40, subjectKey: 8 });

    expect(synced).toMatchObject({ kept: 1, deleted: 1 });
    const read = async (subjectKey: number) => (await client.documents.get(documentId, { subjectKey })).content;
    expect([await read(7), await read(8)]).toEqual([paragraphs([1, 2]), paragraphs([4])]);
  });

  test('is listed, read in parts and deleted', async () => {
    const { client } = await connect();
    for (const name of ['docs/b.md', 'docs/a.md']) {
      await syncDocument(client, { documentId: name, text: paragraphs([1, 2]), maxLength: 40 });
    }

    const names = (await collect(client.documents.list({ limit: 1 }))).map((document) => document.documentId);
    const end = await client.documents.get('docs/a.md', { from: 1 });
    const done = await client.documents.delete('docs/a.md');

    expect(names).toEqual(['docs/a.md', 'docs/b.md']);
    expect(end).toMatchObject({ chunkTotal: 2, content: 'Paragraph 2 tells of matter 2.' });
    expect(done).toEqual({ documentId: 'docs/a.md', deleted: 2, remaining: 0 });
    await expect(client.documents.get('docs/a.md')).rejects.toThrow(NotFoundError);
    for (const name of ['.', '..', '']) await expect(client.documents.get(name)).rejects.toThrow(NotFoundError);
  });

  test('may have an id that no path can contain', async () => {
    const { client } = await connect();
    await syncDocument(client, { documentId: '..', text: paragraphs([1, 2]), maxLength: 40 });

    const synced = await syncDocument(client, { documentId: '..', text: paragraphs([2]), maxLength: 40 });

    expect(synced).toMatchObject({ kept: 1, deleted: 1 });
  });

  test('reports the chunks that conflict with another memory, and deletes nothing', async () => {
    const { client } = await connect();
    await syncDocument(client, { documentId, text: paragraphs([1, 2]), maxLength: 40 });
    const inTheWay = { documentId, chunkIndex: 1, chunkTotal: 2 };
    await client.ingest({ content: 'Paragraph 3 tells of matter 3.', metadata: inTheWay });

    const refused = syncDocument(client, { documentId, text: paragraphs([1, 3]), maxLength: 40 });

    await expect(refused).rejects.toThrow(DocumentSyncError);
    await expect(refused).rejects.toThrow(`1 chunk of ${documentId} was rejected`);
    await expect(refused).rejects.toMatchObject({ failures: [{ chunkIndex: 1, code: 'content_conflict' }] });
    expect(await collect(client.export({ filter: { documentId } }))).toHaveLength(3);
  });
});
