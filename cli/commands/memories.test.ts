import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import Add from './add.js';
import Get from './get.js';
import Purge from './purge.js';
import Recent from './recent.js';
import Remove from './remove.js';
import Restore from './restore.js';
import Search from './search.js';
import Similar from './similar.js';
import Stats from './stats.js';
import Update from './update.js';
import Versions from './versions/index.js';
import VersionsRestore from './versions/restore.js';

async function setUp(): Promise<{ app: TestApp; line: CommandLine }> {
  const app = await testApp();
  const line = await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
  return { app, line };
}

describe('add', () => {
  test('stores a content with its metadata and prints outcome and id', async () => {
    const { line } = await setUp();

    const added = await line.run(Add, ['Deploys run on Fridays.', '-m', 'kind=note', '-m', 'seen:=2']);

    expect(added.result).toMatchObject({ outcome: 'created', metadata: { kind: 'note', seen: 2 } });
    expect(added.stdout).toBe(`created  ${added.result?.id}\n`);
  });

  test('reads the content from a file or from standard input', async () => {
    const { line } = await setUp();
    const file = join(line.home, 'tea.txt');
    await writeFile(file, 'Ana likes tea.\n');

    const fromFile = await line.run(Add, ['--file', file]);
    const fromInput = await line.run(Add, [], { stdin: 'Ben likes coffee.\n' });

    expect(fromFile.result?.content).toBe('Ana likes tea.');
    expect(fromInput.result?.content).toBe('Ben likes coffee.');
  });

  test('updates the memory with the same key', async () => {
    const { line } = await setUp();

    const first = await line.run(Add, ['Deploys run on Fridays.', '--key', 'deploys', '--source', 'wiki']);
    const second = await line.run(Add, ['Deploys run on Mondays.', '--key', 'deploys', '--source', 'wiki']);

    expect(second.result).toMatchObject({ id: first.result?.id, outcome: 'updated' });
  });

  test('stores equal content under two keys with --no-dedupe, and restores the one of a deleted key', async () => {
    const { line } = await setUp();
    const add = (...argv: string[]) => line.run(Add, ['The same licence.', ...argv]);

    const first = await add('--key', 'a', '--no-dedupe');
    const second = await add('--key', 'b', '--no-dedupe');
    await line.run(Remove, [second.result?.id ?? '']);
    const refused = await add('--key', 'b');
    const restored = await add('--key', 'b', '--restore-deleted');

    expect([first.result?.outcome, second.result?.outcome]).toEqual(['created', 'created']);
    expect(second.result).toMatchObject({ distinct: true });
    expect(refused.error?.message).toContain('--restore-deleted');
    expect(restored.result).toMatchObject({ id: second.result?.id, outcome: 'updated', distinct: true });
  });

  test.each([
    ['string', 17, '17'],
    ['integer', 17, 17],
  ])('sends a subject key of digits as the %s that the organization requires', async (subjectKeyType, flag, stored) => {
    const { app, line } = await setUp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType });

    const added = await line.run(Add, ['Ana likes tea.', '--subject', String(flag)]);

    expect(added.result?.subjectKey).toBe(stored);
  });

  test.each([
    [['one', '--file', 'two.txt'], 'not both'],
    [['text', '-m', 'novalue'], 'must be key=text'],
    [['text', '-m', 'count:=many'], 'is not JSON'],
    [['--file', '/nonexistent/file'], '/nonexistent/file does not exist'],
    [['--file', '/'], '/ is a folder, not a file'],
    [[], 'pass the content'],
  ])('rejects %j before anything is sent', async (argv, message) => {
    const { line } = await setUp();

    const refused = await line.run(Add, argv);

    expect(refused.error?.message).toContain(message);
    expect(refused.exitCode).toBe(2);
  });

  test('prints the field that the service rejected', async () => {
    const { line } = await setUp();

    const refused = await line.run(Add, ['text', '-m', 'subjectKey=ana']);

    expect(refused.error?.message).toContain('metadata');
    expect(refused.exitCode).toBe(1);
  });
});

test('a memory can be read, changed and deleted', async () => {
  const { line } = await setUp();
  const { result } = await line.run(Add, ['Deploys run on Fridays.', '-m', 'kind=note']);
  const id = result?.id ?? '';

  const changed = await line.run(Update, [id, '--text', 'Deploys run on Mondays.', '-m', 'checked:=true']);
  const shown = await line.run(Get, [id]);
  const removed = await line.run(Remove, [id]);
  const gone = await line.run(Get, [id]);
  const kept = await line.run(Get, [id, '--include-deleted']);

  expect(changed.stdout).toBe(`updated  ${id}\n`);
  expect(shown.stdout).toContain('{"kind":"note","checked":true}');
  expect(shown.stdout).toMatch(/\n\nDeploys run on Mondays\.\n$/);
  expect(removed.stdout).toBe(`deleted  ${id}\n`);
  expect(gone).toMatchObject({ exitCode: 3, error: { message: expect.stringMatching(/^not found: .* deleted$/) } });
  expect(kept.result?.deletedAt).toBeDefined();
});

test('a deleted memory can be restored or purged', async () => {
  const { line } = await setUp();
  const id = (await line.run(Add, ['Deploys run on Fridays.', '--key', 'deploys'])).result?.id ?? '';
  await line.run(Remove, [id]);

  const refused = await line.run(Add, ['Deploys run on Mondays.', '--key', 'deploys']);
  const restored = await line.run(Restore, [id]);
  const active = await line.run(Purge, [id, '--yes']);
  await line.run(Remove, [id]);
  const unconfirmed = await line.run(Purge, [id]);
  const purged = await line.run(Purge, [id, '--yes']);
  const gone = await line.run(Restore, [id]);

  expect(refused).toMatchObject({ exitCode: 3 });
  expect(refused.error?.message).toContain(`memory restore ${id}`);
  expect(restored.stdout).toBe(`restored  ${id}\n`);
  expect(active).toMatchObject({ exitCode: 1, error: { code: 'memory_active' } });
  expect(unconfirmed.exitCode).toBe(2);
  expect(purged.stdout).toBe(`purged  ${id}\n`);
  expect(gone.exitCode).toBe(3);
});

test('the expiry of a memory can be set and removed', async () => {
  const { line } = await setUp();

  const added = await line.run(Add, ['Closed this week.', '--expires', '2222-01-01T00:00:00Z']);
  const cleared = await line.run(Update, [added.result?.id ?? '', '--expires', 'never']);
  const refused = await line.run(Add, ['Closed last week.', '--expires', '2020-01-01']);

  expect(added.result?.expiresAt).toBe('2222-01-01T00:00:00.000000Z');
  expect(cleared.result).not.toHaveProperty('expiresAt');
  expect(refused).toMatchObject({ exitCode: 1, error: { code: 'validation_failed' } });
});

test('remove deletes all memories that its flags select, but only with --yes', async () => {
  const { app, line } = await setUp();
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
  for (const text of ['one', 'two', 'three']) await line.run(Add, [text, '--subject', 'ana', '-m', 'kind=note']);
  await line.run(Add, ['four', '--subject', 'ben']);

  const asked = await line.run(Remove, ['--subject', 'ana']);
  const done = await line.run(Remove, ['--subject', 'ana', '--yes']);
  const again = await line.run(Remove, ['--subject', 'ana', '--yes']);
  const both = await line.run(Remove, ['some-id', '--kind', 'note']);
  const neither = await line.run(Remove, ['--yes']);

  expect(asked).toMatchObject({ exitCode: 2, error: { message: '3 memories match: add --yes to delete them' } });
  expect(done.stdout).toBe('deleted  3 memories\n');
  expect(again.stdout).toBe('deleted  0 memories\n');
  expect([both.exitCode, neither.exitCode]).toEqual([2, 2]);
  expect((await line.run(Recent, [])).result?.results).toMatchObject([{ content: 'four' }]);
});

test('similar shows the other memories closest to one that match the filter flags', async () => {
  const { line } = await setUp();
  const { result } = await line.run(Add, ['Deploys run on Fridays.']);
  await line.run(Add, ['Deploys run on Mondays.', '-m', 'kind=note']);
  await line.run(Add, ['The coffee machine is broken.', '-m', 'kind=rule']);
  const id = result?.id ?? '';

  const closest = await line.run(Similar, [id, '--limit', '1']);
  const filtered = await line.run(Similar, [id, '--kind', 'rule']);
  const unknown = await line.run(Similar, ['0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11']);

  expect(closest.stdout).toMatch(/^ID +SCORE +TEXT\n\S+ +\d\.\d{3} {2}Deploys run on Mondays\.\n$/);
  expect(filtered.result?.results.map(({ content }) => content)).toEqual(['The coffee machine is broken.']);
  expect(unknown.exitCode).toBe(3);
});

test('search, recent, stats and remove select the memories that meet comparisons', async () => {
  const { line } = await setUp();
  await line.run(Add, ['Deploys run on Fridays.', '-m', 'priority:=3', '-m', 'kind=note']);
  await line.run(Add, ['Deploys need a review.', '-m', 'priority:=10']);

  const found = await line.run(Search, ['deploys', '--where', 'priority>=3', '--where', 'kind !exists']);
  const listed = await line.run(Recent, ['--where', 'priority<10', '--since', '1h']);
  const counted = await line.run(Stats, ['--filter', '{"where":{"priority":{"lt":10}}}', '--where', 'priority>2']);
  const none = await line.run(Recent, ['--until', '2020-01-01']);
  const refused = await line.run(Recent, ['--where', 'priority>true']);
  const wrong = await line.run(Recent, ['--since', '1h', '--where', 'createdAt>=2d']);
  const removed = await line.run(Remove, ['--where', 'kind in note,page', '--yes']);

  expect(found.result?.results.map(({ content }) => content)).toEqual(['Deploys need a review.']);
  expect(listed.result?.results.map(({ content }) => content)).toEqual(['Deploys run on Fridays.']);
  expect(counted.result?.meta).toEqual({ total: 2, filtered: 1 });
  expect(none.result?.results).toEqual([]);
  expect(refused.error?.message).toContain('filter.where.priority.gt must be a string or a number');
  expect(wrong.error?.message).toContain('the same comparison twice');
  expect(removed.result).toEqual({ deleted: 1 });
});

test('search, recent and stats show the memories that match the filter flags', async () => {
  const { line } = await setUp();
  await line.run(Add, ['Deploys run on Fridays.', '-m', 'kind=note', '-m', 'team=red']);
  await line.run(Add, ['Deploys need a review.', '-m', 'kind=rule', '-m', 'team=blue']);

  const found = await line.run(Search, ['when do deploys run', '--kind', 'note', '--limit', '5']);
  const listed = await line.run(Recent, ['--match', 'team=blue']);
  const counted = await line.run(Stats, ['--filter', '{"kind":"rule"}']);
  const none = await line.run(Search, ['deploys', '--kind', 'other']);
  const exact = await line.run(Search, ['when do deploys run', '--kind', 'note', '--exact', '--json']);
  const refused = await line.run(Search, ['deploys', '--exact', '--mode', 'keyword']);

  expect(found.result?.results.map(({ content }) => content)).toEqual(['Deploys run on Fridays.']);
  expect(found.stdout).toMatch(/^ID +SCORE +TEXT\n\S+ +\d\.\d{3} {2}Deploys run on Fridays\.\n$/);
  expect(listed.stdout).toContain('Deploys need a review.');
  expect(listed.stdout).not.toContain('Fridays');
  expect(counted.stdout).toBe('1 of 2 memories\nKEY   VALUE  COUNT\nkind  rule       1\n');
  expect(none).toMatchObject({ stdout: '', stderr: 'nothing found\n', exitCode: 0 });
  expect(exact.result?.results).toEqual(found.result?.results);
  expect(refused.error?.message).toContain('Leave out exact in keyword mode');
});

test('search --rerank says when the service has no reranker', async () => {
  const { line } = await setUp();

  const refused = await line.run(Search, ['when do we deploy', '--rerank']);

  expect(refused.error?.message).toContain('Leave out rerank: the embedding provider of this service has no reranker');
});

test('search --explain shows what adds to each score, and the words that matched', async () => {
  const { line } = await setUp();
  await line.run(Add, ['Deploys run on Fridays.']);
  const query = ['when do we deploy', '--explain'];

  const both = await line.run(Search, [...query, '--mode', 'hybrid', '--recency', '0.5']);
  const byMeaning = await line.run(Search, ['lunch', '--explain', '--mode', 'vector']);
  const plain = await line.run(Search, ['when do we deploy']);
  const json = await line.run(Search, [...query, '--json']);

  expect(both.stdout).toMatch(
    /\n {2}meaning \d\.\d{3} \+ words \d\.\d{3} \+ recency \d\.\d{3}; rank 1 by words; matched: Deploys\n$/,
  );
  expect(byMeaning.stdout).toMatch(/\n {2}meaning \d\.\d{3}; matched: no word\n$/);
  expect(plain.stdout).not.toContain('meaning');
  const matchedWords = [{ term: expect.any(String), forms: ['Deploys'] }];
  expect(json.result?.results).toMatchObject([{ explanation: { parts: {}, matchedWords } }]);
});

test('search shows the best chunk of each document, with the number of others', async () => {
  const { line } = await setUp();
  for (const index of [0, 1]) {
    const chunk = ['-m', 'documentId=calendar', '-m', `chunkIndex:=${index}`, '-m', 'chunkTotal:=2'];
    await line.run(Add, [`Deploys run on Fridays, part ${index}.`, ...chunk]);
  }
  await line.run(Add, ['Deploys need a review.']);

  const { stdout } = await line.run(Search, ['Deploys run on Fridays, part 1', '--group-by', 'document']);

  expect(stdout).toMatch(/^ID +SCORE +OTHERS +TEXT\n\S+ +\d\.\d{3} +1 {2}Deploys run on Fridays, part 1\.\n/);
  expect(stdout).toMatch(/\n\S+ +\d\.\d{3} +Deploys need a review\.\n$/);
});

test('search reports on standard error that words of the query were left out', async () => {
  const { line } = await setUp();
  const words = Array.from({ length: 65 }, (_, n) => `word${n}`).join(' ');
  await line.run(Add, [words]);

  const few = await line.run(Search, ['word1', '--mode', 'keyword']);
  const many = await line.run(Search, [words, '--mode', 'keyword']);

  expect(few.stderr).toBe('');
  expect(many.stderr).toBe('the query has too many words: only the rarest were searched for\n');
  expect(many.result?.meta.wordsLeftOut).toBe(true);
});

test('no stored content can control the terminal', async () => {
  const { line } = await setUp();
  const { result } = await line.run(Add, ['red \u001b[31m text\r\nnext\u0007']);

  const listed = await line.run(Recent, []);
  const shown = await line.run(Get, [result?.id ?? '']);

  for (const { stdout } of [listed, shown]) expect(stdout).not.toMatch(/[^\P{Cc}\n\t]/u);
});

test('--json prints the response of the service and nothing else', async () => {
  const { line } = await setUp();

  const added = await line.run(Add, ['Deploys run on Fridays.', '--json']);
  const refused = await line.run(Get, ['0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11', '--json']);

  expect(JSON.parse(added.stdout)).toEqual(added.result);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: expect.stringContaining('not found') });
});

test('versions are listed and restored', async () => {
  const { line } = await setUp();
  const { result: added } = await line.run(Add, ['Deploys run on Fridays.']);
  const id = added?.id ?? '';
  await line.run(Update, [id, '--text', 'Deploys run on Mondays.']);

  const listed = await line.run(Versions, [id]);
  const restored = await line.run(VersionsRestore, [id, '1']);
  const unknown = await line.run(VersionsRestore, [id, '9']);

  expect(listed.stdout).toMatch(/^VERSION .*\n +1 .*Deploys run on Fridays\.\n$/);
  expect(restored.stdout).toBe(`updated  ${id}\n`);
  expect(restored.result?.content).toBe('Deploys run on Fridays.');
  expect(unknown.exitCode).toBe(3);
});
