import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type TestApp, testApp } from '../server/testing/app/test-app.js';
import { type Ended, runMemory } from './testing/memory-process.js';

interface Surroundings {
  app: TestApp;
  home: string;
  run: (argv: readonly string[], readAtMost?: number) => Promise<Ended>;
}

async function setUp(): Promise<Surroundings> {
  const app = await testApp();
  const home = await mkdtemp(join(tmpdir(), 'memory-process-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { HOME: home, MEMORY_BASE_URL: `http://127.0.0.1:${app.port}`, MEMORY_TOKEN: app.token };
  return { app, home, run: (argv, readAtMost) => runMemory(argv, { env, cwd: home, readAtMost }) };
}

test('export ends quietly when its reader stops', async () => {
  const { home, run } = await setUp();
  // More than a pipe holds.
  const lines = Array.from({ length: 300 }, (_, n) => JSON.stringify({ content: `${n} ${'word '.repeat(200)}` }));
  await writeFile(join(home, 'many.ndjson'), lines.join('\n'));
  await run(['import', 'many.ndjson']);

  const exported = await run(['export'], 1);
  const followed = await run(['changes', '--follow'], 1);

  expect(exported).toMatchObject({ code: 0, stderr: '' });
  expect(followed).toMatchObject({ code: 0, stderr: '' });
});

test('an unknown command suggests the one that was meant', async () => {
  const { run } = await setUp();

  const typed = await run(['serch', 'tea']);
  const inTopic = await run(['webhooks', 'inbound', 'crate']);
  const asJson = await run(['serch', '--json']);

  expect(typed).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Error: unknown command "serch" (did you mean "memory search"?); see "memory --help"\n',
  });
  expect(inTopic.stderr).toContain('did you mean "memory webhooks inbound create"?');
  expect(JSON.parse(asJson.stdout)).toEqual({ error: typed.stderr.slice('Error: '.length).trim() });
});

test.each([
  [['search'], 'missing query: what to search for, in plain words; see "memory search --help"'],
  [['search', 'a', 'b'], 'unexpected argument "b"; see "memory search --help"'],
  [['search', 'a', '--limt', '3'], 'unknown flag --limt (did you mean --limit?); see "memory search --help"'],
  [['search', 'a', '--limit', 'x'], '--limit: Expected an integer but received: x; see "memory search --help"'],
  [['search', 'a', '--mode', 'x'], /^Expected --mode=x to be one of: .*; see "memory search --help"$/],
  [['purge', 'x'], 'missing --yes; see "memory purge --help"'],
])('memory %j is a usage error of one line', async (argv, message) => {
  const { run } = await setUp();

  const { code, stdout, stderr } = await run(argv);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(stderr.replace(/^Error: |\n$/g, '')).toEqual(
    message instanceof RegExp ? expect.stringMatching(message) : message,
  );
});

test('an error of the service is printed once, with its code', async () => {
  const { run } = await setUp();

  const one = await run(['search', 'tea', '--limit', '999']);
  const two = await run(['search', '', '--limit', '999']);
  const asJson = await run(['search', '', '--limit', '999', '--json']);

  expect(one.stderr).toBe('Error: limit must be at most 50 (validation_failed)\n');
  expect(two.stderr).toBe(
    'Error: 2 fields are not valid (validation_failed)\n  query must have at least 1 character\n  limit must be at most 50\n',
  );
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    code: 'validation_failed',
    details: [{ path: 'query' }, { path: 'limit', message: 'must be at most 50' }],
  });
  expect(asJson.stderr).toBe('');
});

test('aliases run the command that they stand for', async () => {
  const { run } = await setUp();

  const { id } = JSON.parse((await run(['ingest', 'Ana likes tea.', '--json'])).stdout) as { id: string };
  const removed = await run(['rm', id]);
  const again = await run(['delete', id]);

  expect(removed).toEqual({ code: 0, stdout: `deleted  ${id}\n`, stderr: '' });
  expect(again.code).toBe(3);
});

test('a key whose memory is deleted is explained, with the command that restores it', async () => {
  const { run } = await setUp();
  const { id } = JSON.parse((await run(['add', 'Ana likes tea.', '--key', 'tea', '--json'])).stdout) as { id: string };
  await run(['rm', id]);

  const added = await run(['add', 'Ana likes coffee.', '--key', 'tea']);
  const asJson = await run(['add', 'Ana likes coffee.', '--key', 'tea', '--json']);

  expect(added.stderr).toBe(
    `Error: the memory with this key is deleted: run "memory restore ${id}" to restore it, or pass --restore-deleted\n`,
  );
  expect(JSON.parse(asJson.stdout)).toMatchObject({ deletedMemoryId: id });
});
