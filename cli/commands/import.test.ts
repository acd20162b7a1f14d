import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LocalEmbedder } from '../../server/adapters/embedding/local/local-embedder.js';
import type { EmbeddingPurpose } from '../../server/ports/embedder.js';
import { type TestApp, type TestOverrides, testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Import from './import.js';

const TOPICS = ['deploys', 'reviews', 'holidays', 'lunches', 'budgets', 'servers', 'tickets', 'releases'];

async function setUp(overrides: TestOverrides = {}): Promise<{ app: TestApp; line: CommandLine }> {
  const app = await testApp(overrides);
  const line = await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
  return { app, line };
}

/** Creates lines that are not near-duplicates of each other. */
async function noteFile(line: CommandLine, count: number): Promise<string> {
  const notes = Array.from({ length: count }, (_, n) => ({
    content: `Note ${n}: ${TOPICS[n % TOPICS.length]} of room ${n}.`,
    metadata: { n },
  }));
  return write(line, 'notes.ndjson', notes.map((note) => `${JSON.stringify(note)}\n`).join(''));
}

async function write(line: CommandLine, name: string, text: string): Promise<string> {
  const path = join(line.home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

async function total(app: TestApp): Promise<number> {
  const { body } = await app.send('GET', '/api/memories/stats');
  return (body.meta as { total: number }).total;
}

/** Presses Ctrl-C while a batch is being sent. */
class InterruptingEmbedder extends LocalEmbedder {
  calls = 0;

  override async embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<Float32Array[]> {
    this.calls += 1;
    if (this.calls === 2) process.emit('SIGINT');
    return super.embed(texts, purpose);
  }
}

describe('import', () => {
  test('stores the distinct memories of an export beside equal ones', async () => {
    const { app, line } = await setUp();
    const memory = { content: 'The same licence.', distinct: true };
    const lines = [
      { ...memory, externalKey: 'a' },
      { ...memory, externalKey: 'b', createdAt: '2024-05-01' },
    ];
    const path = await write(line, 'licences.ndjson', lines.map((each) => `${JSON.stringify(each)}\n`).join(''));

    const imported = await line.run(Import, [path]);

    expect(imported.stdout).toBe('2 entries, 2 created, 0 failed\n');
    expect(await total(app)).toBe(2);
  });

  test('stores every line once, even if it is run several times', async () => {
    const { app, line } = await setUp();
    const path = await noteFile(line, 120);

    const first = await line.run(Import, [path]);
    const second = await line.run(Import, [path]);

    expect(first.stdout).toBe('120 entries, 120 created, 0 failed\n');
    expect(second.stdout).toBe('120 entries, 120 deduplicated, 0 failed\n');
    expect(await total(app)).toBe(120);
  });

  test('resumes after an interruption, and ends with the same memories', async () => {
    const { app, line } = await setUp({ embedder: new InterruptingEmbedder() });
    const path = await noteFile(line, 300);

    const interrupted = await line.run(Import, [path]);
    const resumed = await line.run(Import, [path]);

    expect(interrupted).toMatchObject({ exitCode: 130, result: { complete: false, done: 100 } });
    expect(resumed.stderr).toContain('resuming after 100 entries');
    expect(resumed).toMatchObject({ exitCode: 0, stdout: '300 entries, 300 created, 0 failed\n' });
    expect(await total(app)).toBe(300);
    expect(await readdir(join(line.home, 'config', 'imports'))).toEqual([]);
  });

  test('starts from the beginning if the processed lines have changed', async () => {
    const { app, line } = await setUp({ embedder: new InterruptingEmbedder() });
    const path = await noteFile(line, 150);
    await line.run(Import, [path]);
    await write(line, 'notes.ndjson', '{"content":"Something else."}\n');

    const changed = await line.run(Import, [path]);

    expect(changed.stderr).toContain('starting from the beginning');
    expect(changed.stdout).toBe('1 entry, 1 created, 0 failed\n');
    expect(await total(app)).toBe(101);
  });

  test('reports the lines that failed, and stores the others', async () => {
    const { app, line } = await setUp();
    const lines = ['{"content":"Ana likes tea."}', 'no json', '', '{"content":"  "}', '{"text":"x"}', '[1]'];
    const path = await write(line, 'mixed.ndjson', lines.join('\n'));

    const ran = await line.run(Import, [path]);

    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toBe('5 entries, 1 created, 4 failed\n');
    expect(ran.stderr).toContain('line 2: is not a JSON object\n');
    expect(ran.stderr).toContain('line 4: content must');
    expect(ran.result?.failures.map(({ at }) => at)).toEqual(['line 2', 'line 4', 'line 5', 'line 6']);
    expect(await total(app)).toBe(1);
  });

  test('stores equal files of a folder separately, and a renamed file as a new memory', async () => {
    const { app, line } = await setUp();
    await write(line, 'docs/a/LICENSE.md', 'All rights reserved.');
    await write(line, 'docs/b/LICENSE.md', 'All rights reserved.');
    const folder = join(line.home, 'docs');

    const first = await line.run(Import, [folder]);
    await rename(join(folder, 'b/LICENSE.md'), join(folder, 'b/TERMS.md'));
    const renamed = await line.run(Import, [folder]);

    expect(first.stdout).toBe('2 entries, 2 created, 0 failed\n');
    expect(renamed.stdout).toBe('2 entries, 1 deduplicated, 1 created, 0 failed\n');
    expect(await total(app)).toBe(3);
  });

  test('stores text files with their paths as external keys', async () => {
    const { app, line } = await setUp();
    await write(line, 'docs/deploys.md', '# Deploys\n\nOn Fridays.\n');
    await write(line, 'docs/team/ana.txt', 'Ana likes tea.');
    await write(line, 'docs/team/photo.png', 'no text');

    const first = await line.run(Import, [join(line.home, 'docs'), '--source', 'handbook']);
    await write(line, 'docs/deploys.md', '# Deploys\n\nOn Mondays.\n');
    const second = await line.run(Import, [join(line.home, 'docs'), '--source', 'handbook']);

    const { body } = await app.send('GET', '/api/memories/recent');
    const memories = body.results as { externalKey: string; content: string; metadata: unknown }[];
    expect(first.stdout).toBe('2 entries, 2 created, 0 failed\n');
    expect(second.stdout).toBe('2 entries, 1 updated, 1 deduplicated, 0 failed\n');
    expect(memories.map(({ externalKey }) => externalKey).sort()).toEqual(['deploys.md', 'team/ana.txt']);
    expect(memories.find(({ externalKey }) => externalKey === 'deploys.md')).toMatchObject({
      content: '# Deploys\n\nOn Mondays.',
      metadata: { source: 'handbook', path: 'deploys.md' },
    });
  });

  test('cuts a long file into chunks, and brings them up to date', async () => {
    const { app, line } = await setUp();
    const paragraph = (n: number) => `Paragraph ${n} is about ${TOPICS[n % TOPICS.length]}. ${`word${n} `.repeat(150)}`;
    const text = (numbers: readonly number[]) => numbers.map(paragraph).join('\n\n');
    await write(line, 'docs/short.md', 'On Fridays.');
    const path = await write(line, 'docs/guide.md', text([1, 2, 3, 4, 5, 6, 7, 8]));
    const folder = join(line.home, 'docs');
    const documentOf = async () => (await app.send('GET', '/api/documents/import%2Fguide.md')).body;

    const first = await line.run(Import, [folder]);
    const stored = await documentOf();
    const again = await line.run(Import, [folder]);
    await writeFile(path, text([1, 2, 9, 4]));
    const changed = await line.run(Import, [folder]);
    const now = await documentOf();

    expect(first.stdout).toBe('2 entries, 2 created, 0 failed\n');
    expect(stored).toMatchObject({ content: text([1, 2, 3, 4, 5, 6, 7, 8]).normalize('NFC'), missing: 0 });
    expect(stored.chunkTotal).toBeGreaterThan(2);
    expect(again.stdout).toBe('2 entries, 2 deduplicated, 0 failed\n');
    expect(changed.stdout).toBe('2 entries, 1 updated, 1 deduplicated, 0 failed\n');
    expect(now).toMatchObject({ content: text([1, 2, 9, 4]), memories: now.chunkTotal });
  });

  test('a file that grows long or short again is stored once', async () => {
    const { app, line } = await setUp();
    const long = Array.from({ length: 500 }, (_, n) => `Sentence ${n} of the guide.`).join(' ');
    const path = await write(line, 'guide.md', 'A short guide.');
    const content = async () => (await app.send('GET', '/api/documents/import%2Fguide.md')).body;

    await line.run(Import, [path]);
    await writeFile(path, long);
    const grown = await line.run(Import, [path]);
    const whileLong = await content();
    await writeFile(path, 'A short guide again.');
    const shrunk = await line.run(Import, [path]);
    const whileShort = await content();

    expect([grown.stdout, shrunk.stdout]).toEqual(Array(2).fill('1 entry, 1 updated, 0 failed\n'));
    expect(whileLong).toMatchObject({ content: long, memories: whileLong.chunkTotal });
    expect(whileShort).toMatchObject({ content: 'A short guide again.', memories: 1, chunkTotal: 1 });
  });

  test('a token that may not delete stores a long file whole, and says so', async () => {
    const { app, line } = await setUp();
    const abilities = ['memory:ingest', 'memory:search'];
    const { body } = await app.send('POST', '/api/organization/tokens', { name: 'importer', abilities });
    const importer = await CommandLine.create([
      '--base-url',
      `http://127.0.0.1:${app.port}`,
      '--token',
      `${body.token}`,
    ]);
    const path = await write(line, 'guide.md', 'A long guide. '.repeat(500));

    const ran = await importer.run(Import, [path]);

    expect(ran.stdout).toBe('1 entry, 1 created, 0 failed\n');
    expect(ran.stderr).toContain('long files are not split');
    expect(await total(app)).toBe(1);
  });

  test.each([
    ['missing.ndjson', 'missing.ndjson does not exist'],
    ['guide.rst', 'has no lines of JSON'],
    ['empty', 'contains no'],
  ])('rejects %s', async (name, message) => {
    const { line } = await setUp();
    await mkdir(join(line.home, 'empty'));
    await write(line, 'guide.rst', 'A guide.\n');

    const refused = await line.run(Import, [join(line.home, name)]);

    expect(refused.error?.message).toContain(message);
    expect(refused.exitCode).toBe(2);
  });
});
