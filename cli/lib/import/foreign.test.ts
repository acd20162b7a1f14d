import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Format, openForeign } from './foreign.js';
import type { Entry } from './source.js';

async function read(format: Format, text: string): Promise<Entry[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file');
  await writeFile(path, text);
  const source = await openForeign(path, format);
  const entries: Entry[] = [];
  for await (const entry of source.entries()) entries.push(entry);
  expect(source.total).toBe(entries.length);
  return entries;
}

const items = (entries: readonly Entry[]) =>
  entries.map((entry) => ('item' in entry ? entry.item : 'fault' in entry && entry.fault));

describe('openForeign', () => {
  test('reads the response of get_all of mem0', async () => {
    const record = {
      id: 'a1',
      memory: 'Ana likes tea.',
      hash: 'x',
      metadata: { topic: 'food', subjectKey: 'dropped' },
      categories: ['preferences'],
      user_id: 'ana',
      created_at: '2024-07-01T12:30:00.250000-07:00',
      updated_at: null,
    };

    const entries = await read('mem0', JSON.stringify({ results: [record, { id: 'a2' }] }));

    expect(items(entries)).toEqual([
      {
        content: 'Ana likes tea.',
        metadata: { topic: 'food', categories: ['preferences'], userId: 'ana', source: 'mem0' },
        externalKey: 'a1',
        scope: { source: 'mem0' },
        createdAt: '2024-07-01T19:30:00.250Z',
      },
      'contains no text for a memory',
    ]);
    expect(await read('mem0', JSON.stringify([record]))).toHaveLength(1);
  });

  test('reads memories and documents of supermemory', async () => {
    const entries = await read(
      'supermemory',
      JSON.stringify({
        memories: [
          { id: 's1', content: 'Deploys run on Fridays.', containerTags: ['work'], createdAt: '2025-01-02T03:04:05Z' },
          { id: 's2', content: null, summary: 'In short.', title: 'A page', metadata: null },
        ],
      }),
    );

    expect(items(entries)).toEqual([
      {
        content: 'Deploys run on Fridays.',
        metadata: { containerTags: ['work'], source: 'supermemory' },
        externalKey: 's1',
        scope: { source: 'supermemory' },
        createdAt: '2025-01-02T03:04:05.000Z',
      },
      {
        content: 'In short.',
        metadata: { title: 'A page', source: 'supermemory' },
        externalKey: 's2',
        scope: { source: 'supermemory' },
      },
    ]);
  });

  test('reads the entries of supermemory in a list and in documents, without forgotten ones', async () => {
    const entry = { id: 'e1', memory: 'Ana leads.', isLatest: true, isForgotten: false, metadata: '{"topic":"work"}' };
    const forgotten = { id: 'e2', memory: 'Ana led.', isForgotten: true };
    const document = { id: 'd1', content: 'Long.', memoryEntries: [{ ...entry, id: 'e3' }, forgotten] };

    const listed = await read('supermemory', JSON.stringify({ memoryEntries: [entry, forgotten] }));
    const nested = await read('supermemory', JSON.stringify({ documents: [document] }));

    const item = { content: 'Ana leads.', metadata: { topic: 'work', source: 'supermemory' } };
    expect(items(listed)).toMatchObject([{ ...item, externalKey: 'e1' }]);
    expect(items(nested)).toMatchObject([{ ...item, externalKey: 'e3' }]);
  });

  test('reads a list of edges, a page of version 4 and episodes of Zep', async () => {
    const edge = {
      uuid: 'z1',
      fact: 'Ana works for Acme.',
      attributes: { since: 2024 },
      invalid_at: '2025-01-01T00:00:00Z',
    };
    const episode = { uuid: 'z3', content: 'Ana: hello', source: 'message', created_at: '2024-02-03T04:05:06Z' };

    const bare = await read('zep', JSON.stringify([edge]));
    const page = await read('zep', JSON.stringify({ items: [edge], next_cursor: 'x' }));
    const episodes = await read('zep', JSON.stringify({ episodes: [episode] }));

    expect(items(bare)).toMatchObject([{ externalKey: 'z1', metadata: { since: 2024, invalidAt: edge.invalid_at } }]);
    expect(items(page)).toEqual(items(bare));
    expect(items(episodes)).toMatchObject([{ content: 'Ana: hello', createdAt: '2024-02-03T04:05:06.000Z' }]);
  });

  test('reads facts and messages of Zep, with times without a zone in UTC', async () => {
    const entries = await read(
      'zep',
      JSON.stringify({
        edges: [{ uuid: 'z1', fact: 'Ana works for Acme.', name: 'WORKS_FOR', valid_at: '2024-01-01T00:00:00Z' }],
        messages: [{ uuid: 'z2', role: 'user', content: 'Hello.', created_at: '2024-02-03T04:05:06' }],
      }),
    );

    expect(items(entries)).toMatchObject([
      { content: 'Ana works for Acme.', externalKey: 'z1', metadata: { name: 'WORKS_FOR', source: 'zep' } },
      { content: 'Hello.', externalKey: 'z2', metadata: { role: 'user' }, createdAt: '2024-02-03T04:05:06.000Z' },
    ]);
  });

  test('reads the lines of a knowledge graph', async () => {
    const lines = [
      '{"type":"entity","name":"Ana","entityType":"person","observations":["likes tea","speaks Spanish"]}',
      '{"type":"relation","from":"Ana","to":"Acme","relationType":"works_at"}',
      '',
      'no json',
    ];

    const entries = await read('server-memory', lines.join('\n'));

    expect(items(entries)).toMatchObject([
      { content: 'Ana: likes tea', metadata: { entity: 'Ana', entityType: 'person' } },
      { content: 'Ana: speaks Spanish' },
      { content: 'Ana works at Acme', metadata: { kind: 'relation', relationType: 'works_at' } },
      'contains no text for a memory',
    ]);
    expect(entries.map(({ at }) => at)).toEqual(['line 1, text 1', 'line 1, text 2', 'line 2', 'line 4']);
  });

  test('reads plain lines without the marks of a list', async () => {
    const entries = await read(
      'chatgpt',
      '- Likes tea.\r\n\n• Lives in Oslo.\n3. Has 2 dogs.\n2024 was a good year.\n',
    );

    expect(items(entries)).toEqual(
      ['Likes tea.', 'Lives in Oslo.', 'Has 2 dogs.', '2024 was a good year.'].map((content) => ({
        content,
        metadata: { source: 'chatgpt' },
      })),
    );
  });

  test.each<[Format, string]>([
    ['mem0', 'no json'],
    ['supermemory', '{"other":[]}'],
    ['zep', '7'],
  ])('rejects a file that is not an export of %s', async (format, text) => {
    await expect(read(format, text)).rejects.toThrow(`is not an export of ${format}`);
  });
});
