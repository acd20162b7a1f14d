import { MemoryClient } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MemoryFiles } from './files.js';
import { type MemoryCommand, runCommand } from './memory-tool.js';

const standIn = new StandInService();
const network = setupServer(...standIn.handlers);
const client = new MemoryClient({ baseUrl: standIn.baseUrl, token: 'any', maxRetries: 0 });
const ana = new MemoryFiles(client.forSubject('ana'));
const NOTES = '/memories/notes.md';

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterEach(() => standIn.reset());
afterAll(() => network.close());

/** Runs commands one after the other, and returns the content of the last result. */
async function run(...commands: MemoryCommand[]): Promise<string> {
  let content = '';
  for (const command of commands) {
    const result = await runCommand(ana, command);
    if (result.is_error) throw new Error(result.content);
    content = result.content;
  }
  return content;
}

async function failureOf(command: MemoryCommand): Promise<string> {
  const result = await runCommand(ana, command);
  expect(result.is_error).toBe(true);
  return result.content;
}

const create = (path: string, file_text: string) => ({ command: 'create', path, file_text }) as const;
const view = (path: string, ...view_range: [number, number] | []) => {
  return { command: 'view', path, ...(view_range.length === 2 && { view_range }) } as const;
};

describe('view', () => {
  test('lists the files and folders of two levels', async () => {
    await run(create(NOTES, 'One.'), create('/memories/a/b/c.md', 'Two.'), create('/memories/.hidden', 'Three.'));

    expect((await run(view('/memories'))).split('\n').slice(1)).toEqual([
      '14B\t/memories',
      '4B\t/memories/a',
      '4B\t/memories/a/b',
      '4B\t/memories/notes.md',
    ]);
    expect(await run(view('/memories/a/'))).toContain('/memories/a/b/c.md');
  });

  test('lists the empty folder before the first file', async () => {
    expect(await run(view('/memories'))).toContain('0B\t/memories');
  });

  test('numbers the lines of a file, and of a range of it', async () => {
    await run(create(NOTES, 'One.\nTwo.\nThree.'));

    expect(await run(view(NOTES))).toContain('\n     1\tOne.\n     2\tTwo.\n     3\tThree.');
    expect((await run(view(NOTES, 2, -1))).split('\n').slice(1)).toEqual(['     2\tTwo.', '     3\tThree.']);
    expect(await failureOf(view(NOTES, 2, 4))).toContain('1 to 3');
  });
});

describe('create', () => {
  test('stores files with equal text, and blank ones', async () => {
    await run(create(NOTES, 'Same.'), create('/memories/copy.md', 'Same.'), create('/memories/empty.md', ''));

    expect(await run(view('/memories/copy.md'))).toContain('Same.');
    expect(await run(view('/memories/empty.md'))).toMatch(/:\n {5}1\t$/);
    expect(standIn.memories).toHaveLength(3);
  });

  test('rejects a path that exists, and creates a deleted file again', async () => {
    await run(create(NOTES, 'Old.'));
    expect(await failureOf(create(NOTES, 'New.'))).toBe(`Error: File ${NOTES} already exists`);

    await run({ command: 'delete', path: NOTES }, create(NOTES, 'New.'));

    expect(await run(view(NOTES))).toContain('New.');
  });
});

describe('an edit', () => {
  test('replaces a text that occurs once', async () => {
    await run(create(NOTES, 'Likes tea.\nLikes trains.'));
    const replacing = { command: 'str_replace', path: NOTES } as const;

    const edited = await run({ ...replacing, old_str: 'tea', new_str: 'green tea' });
    const twice = await failureOf({ ...replacing, old_str: 'Likes', new_str: 'Loves' });
    const never = await failureOf({ ...replacing, old_str: 'coffee', new_str: 'tea' });

    expect(edited).toBe('The memory file has been edited.\n     1\tLikes green tea.');
    expect(twice).toContain('in lines: 1, 2');
    expect(never).toContain('did not appear verbatim');
    expect(await run(view(NOTES))).toContain('Likes green tea.');
  });

  test('inserts after a line', async () => {
    await run(create(NOTES, 'One.\nThree.'));
    const inserting = (insert_line: number) =>
      ({ command: 'insert', path: NOTES, insert_line, insert_text: 'Two.\n' }) as const;

    await run(inserting(1));

    expect((await run(view(NOTES))).split('\n').slice(1)).toHaveLength(3);
    expect(await failureOf(inserting(9))).toContain('[0, 3]');
  });
});

describe('delete and rename', () => {
  test('work on files and on folders', async () => {
    await run(create('/memories/a/one.md', 'One.'), create('/memories/a/two.md', 'Two.'), create(NOTES, 'Notes.'));

    await run({ command: 'rename', old_path: '/memories/a', new_path: '/memories/b' });
    await run({ command: 'rename', old_path: NOTES, new_path: '/memories/b/notes.md' });
    await run({ command: 'delete', path: '/memories/b/one.md' });

    expect((await ana.below('/memories')).map(({ path, text }) => [path, text])).toEqual([
      ['/memories/b/notes.md', 'Notes.'],
      ['/memories/b/two.md', 'Two.'],
    ]);
    await run({ command: 'delete', path: '/memories/b' });
    expect(await ana.below('/memories')).toEqual([]);
  });

  test('reject what does not exist, and a destination that does', async () => {
    await run(create(NOTES, 'One.'), create('/memories/other.md', 'Two.'));

    expect(await failureOf({ command: 'delete', path: '/memories/none' })).toContain('does not exist');
    expect(await failureOf({ command: 'delete', path: '/memories' })).toContain('cannot be deleted');
    expect(await failureOf({ command: 'rename', old_path: NOTES, new_path: '/memories/other.md' })).toContain(
      'already exists',
    );
  });
});

test.each(['/etc/passwd', '/memories/../etc', '/memories//a', 'memories/a', '/memoriesx', '/memories/./a'])(
  'rejects the path %s',
  async (path) => {
    expect(await failureOf(view(path))).toContain('is not in /memories');
  },
);

test('shows nobody the files of others', async () => {
  await run(create(NOTES, 'Of Ana.'));
  const ben = new MemoryFiles(client.forSubject('ben'));

  expect((await runCommand(ben, view(NOTES))).is_error).toBe(true);
  await runCommand(ben, create(NOTES, 'Of Ben.'));

  expect(await run(view(NOTES))).toContain('Of Ana.');
});
