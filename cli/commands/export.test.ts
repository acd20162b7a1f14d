import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Changes from './changes.js';
import Export from './export.js';
import Import from './import.js';

async function setUp(): Promise<{ app: TestApp; line: CommandLine }> {
  const app = await testApp();
  const line = await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
  for (const content of ['Ana likes tea.', 'Deploys run on Fridays.', 'Lunch is at noon.']) {
    await app.send('POST', '/api/memories', { content });
  }
  return { app, line };
}

function contents(ndjson: string): unknown[] {
  return ndjson
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => (JSON.parse(text) as { content: unknown }).content);
}

function scopesOf(ndjson: string): unknown[] {
  const lines = ndjson.split('\n').filter((text) => text !== '');
  return lines.map((text) => (JSON.parse(text) as { scope?: unknown }).scope);
}

test('export writes one memory per line, oldest first', async () => {
  const { line } = await setUp();

  const { stdout } = await line.run(Export, []);

  expect(contents(stdout)).toEqual(['Ana likes tea.', 'Deploys run on Fridays.', 'Lunch is at noon.']);
});

test('export to a file says how many memories it wrote', async () => {
  const { app, line } = await setUp();
  await app.send('POST', '/api/memories', { content: 'Acme ships on Mondays.', metadata: { project: 'acme' } });
  const path = join(line.home, 'one.ndjson');

  const exported = await line.run(Export, ['--output', path, '--project', 'acme']);

  expect(exported).toMatchObject({ stdout: '', stderr: `1 memory in ${path}\n` });
});

test('a file that was exported can be imported elsewhere', async () => {
  const { line } = await setUp();
  const path = join(line.home, 'all.ndjson');
  const elsewhere = await testApp();
  const other = await CommandLine.create([
    '--base-url',
    `http://127.0.0.1:${elsewhere.port}`,
    '--token',
    elsewhere.token,
  ]);

  const exported = await line.run(Export, ['--output', path]);
  const imported = await other.run(Import, [path]);

  expect(exported).toMatchObject({ stdout: '', stderr: `3 memories in ${path}\n` });
  expect(imported.stdout).toBe('3 entries, 3 created, 0 failed\n');
});

test('equal keys of different scopes stay separate memories, and a second import changes nothing', async () => {
  const { app, line } = await setUp();
  const scopes = [{ source: 'wiki', project: 'a' }, { source: 'wiki', project: 'b' }, { project: 'a' }, undefined];
  for (const [n, scope] of scopes.entries()) {
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: `Note ${n}.`, ...(scope && { scope }) });
  }
  const path = join(line.home, 'all.ndjson');
  await line.run(Export, ['--output', path]);
  const elsewhere = await testApp();
  const url = `http://127.0.0.1:${elsewhere.port}`;
  const other = await CommandLine.create(['--base-url', url, '--token', elsewhere.token]);

  const first = await other.run(Import, [path]);
  const again = await other.run(Import, [path, '--restart']);
  const back = await other.run(Export, []);

  expect(first.stdout).toBe('7 entries, 7 created, 0 failed\n');
  expect(again.stdout).toBe('7 entries, 7 present, 0 failed\n');
  expect(contents(back.stdout)).toHaveLength(7);
  expect(scopesOf(back.stdout)).toEqual(scopesOf(await readFile(path, 'utf8')));
});

test('an archive imported into an empty organization exports the same lines, and a damaged one imports nothing', async () => {
  const { app, line } = await setUp();
  const { body } = await app.send('POST', '/api/memories', { content: 'Not for long.' });
  await app.send('PATCH', `/api/memories/${String(body.id)}`, { content: 'Not for long, still.' });
  await app.send('DELETE', `/api/memories/${String(body.id)}`);
  const [path, copy, damaged] = ['one', 'two', 'three'].map((name) => join(line.home, `${name}.archive`));
  const exported = await line.run(Export, [path!]);
  const elsewhere = await testApp();
  const url = `http://127.0.0.1:${elsewhere.port}`;
  const other = await CommandLine.create(['--base-url', url, '--token', elsewhere.token]);
  const archive = await readFile(path!, 'utf8');
  await writeFile(damaged!, archive.slice(0, -20));

  const refused = await other.run(Import, [damaged!]);
  const imported = await other.run(Import, [path!]);
  const again = await other.run(Import, [path!]);
  await other.run(Export, [copy!]);

  expect(exported.stderr).toContain('4 memories, 1 of them deleted, with 1 version, in ');
  expect(refused).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining('Nothing was imported') } });
  expect(imported.stdout).toBe('5 entries, 5 created, 0 failed\n');
  expect(again.stdout).toBe('5 entries, 5 present, 0 failed\n');
  expect((await readFile(copy!, 'utf8')).split('\n').slice(1)).toEqual(archive.split('\n').slice(1));
});

test('an export that repeats the keys in the metadata can be imported, as lines and as an archive', async () => {
  const mirroring = await testApp({}, { metadataMirror: true });
  const line = await CommandLine.create([
    '--base-url',
    `http://127.0.0.1:${mirroring.port}`,
    '--token',
    mirroring.token,
  ]);
  await mirroring.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
  const item = { content: 'Ana likes tea.', externalKey: 'k', subjectKey: 'ana', metadata: { kind: 'note' } };
  await mirroring.send('PUT', '/api/memories', item);
  const [lines, archive] = [join(line.home, 'all.ndjson'), join(line.home, 'all.archive')];
  await line.run(Export, ['--output', lines]);
  await line.run(Export, [archive]);

  for (const path of [lines, archive]) {
    const elsewhere = await testApp();
    const url = `http://127.0.0.1:${elsewhere.port}`;
    const other = await CommandLine.create(['--base-url', url, '--token', elsewhere.token]);
    await elsewhere.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });

    const imported = await other.run(Import, [path]);

    expect(imported.stdout).toBe('1 entry, 1 created, 0 failed\n');
    const { text } = await elsewhere.send('GET', '/api/memories/export');
    expect(JSON.parse(text)).toMatchObject(item);
  }
  expect(await readFile(lines, 'utf8')).toContain('"subjectKey":"ana"}');
});

test('an import of lines keeps times of creation, unless the token may not import', async () => {
  const { app, line } = await setUp();
  const path = join(line.home, 'all.ndjson');
  await line.run(Export, ['--output', path]);
  const timesOf = (ndjson: string) => ndjson.match(/"createdAt":"[^"]+"/g);
  const elsewhere = await testApp();
  const url = `http://127.0.0.1:${elsewhere.port}`;
  const other = await CommandLine.create(['--base-url', url, '--token', elsewhere.token]);
  const limited = await elsewhere.send('POST', '/api/organization/tokens', {
    name: 'writer',
    abilities: ['memory:ingest'],
  });
  const writer = await CommandLine.create(['--base-url', url, '--token', String(limited.body.token)]);

  await other.run(Import, [path]);
  const back = await other.run(Export, []);
  const written = await writer.run(Import, [path]);

  expect(timesOf(back.stdout)).toEqual(timesOf(await readFile(path, 'utf8')));
  expect(written.stderr).toContain('times of creation are not kept');
  expect(written.stdout).toBe('3 entries, 3 deduplicated, 0 failed\n');
  expect(app.port).not.toBe(elsewhere.port);
});

test('an export that fails leaves no file behind', async () => {
  const { line } = await setUp();

  const failed = await line.run(Export, ['--output', join(line.home, 'all.ndjson'), '--filter', '{"colour":"red"}']);

  expect(failed).toMatchObject({ exitCode: 1, error: { code: 'validation_failed' } });
  expect(await readdir(line.home)).toEqual([]);
});

test('changes resume after the cursor in a file', async () => {
  const { app, line } = await setUp();
  const cursor = join(line.home, 'feed.cursor');

  const first = await line.run(Changes, ['--cursor-file', cursor]);
  const nothing = await line.run(Changes, ['--cursor-file', cursor]);
  await app.send('POST', '/api/memories', { content: 'Reviews need two people.' });
  const next = await line.run(Changes, ['--cursor-file', cursor]);

  expect(contents(first.stdout)).toHaveLength(3);
  expect(nothing.stdout).toBe('');
  expect(contents(next.stdout)).toEqual(['Reviews need two people.']);
  expect(await readFile(cursor, 'utf8')).toMatch(/^\S+\|\S+\n$/);
});
