import { expect, test } from 'vitest';
import { MemoryClient, syncDocument } from '../../sdk/index.js';
import { testApp } from '../../server/testing/app/test-app.js';
import { CommandLine } from '../testing/command-line.js';
import DocumentsGet from './documents/get.js';
import Documents from './documents/index.js';
import DocumentsRemove from './documents/remove.js';

const GUIDE = ['First paragraph of the guide.', 'Second paragraph of the guide.'].join('\n\n');

async function setUp(): Promise<{ client: MemoryClient; line: CommandLine }> {
  const { port, token } = await testApp();
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = new MemoryClient({ baseUrl, token });
  await syncDocument(client, { documentId: 'docs/guide.md', text: GUIDE, maxLength: 40 });
  return { client, line: await CommandLine.create(['--base-url', baseUrl, '--token', token]) };
}

test('documents are listed, printed and removed', async () => {
  const { client, line } = await setUp();
  await client.ingest({ content: 'x', metadata: { documentId: 'notes', chunkIndex: 2, chunkTotal: 4 } });

  const listed = await line.run(Documents, []);
  const printed = await line.run(DocumentsGet, ['docs/guide.md']);
  const asked = await line.run(DocumentsRemove, ['docs/guide.md']);
  const removed = await line.run(DocumentsRemove, ['docs/guide.md', '--yes']);
  const again = await line.run(DocumentsRemove, ['docs/guide.md', '--yes']);

  const [heading, guide, notes] = listed.stdout.split('\n');
  expect(heading).toMatch(/^DOCUMENT +SUBJECT +CHUNKS +BYTES +CHANGED$/);
  expect(guide).toMatch(/^docs\/guide\.md +2 of 2 +61 +2/);
  expect(notes).toMatch(/^notes +1 of 4 +1 +2/);
  expect(printed.stdout).toBe(`${GUIDE}\n`);
  expect(asked).toMatchObject({
    exitCode: 2,
    error: { message: 'the document has 2 memories: add --yes to delete them' },
  });
  expect(removed.stdout).toBe('deleted  2 memories\n');
  expect(again.exitCode).toBe(3);
  expect((await line.run(Documents, [])).result?.documents).toMatchObject([{ documentId: 'notes' }]);
});

test('a long document is printed completely', async () => {
  const { client, line } = await setUp();
  const contents = Array.from({ length: 22 }, (_, index) => `${index} ${'é'.repeat(49_000)}`);
  for (const [chunkIndex, content] of contents.entries()) {
    await client.ingest({ content, metadata: { documentId: 'long', chunkIndex, chunkTotal: 22 } });
  }

  const printed = await line.run(DocumentsGet, ['long']);

  expect(printed.stdout).toBe(`${contents.join('')}\n`);
  expect(printed.result?.memoryIds).toHaveLength(22);
});

test('--subject selects one of several documents with the same id', async () => {
  const { client, line } = await setUp();
  await client.settings.update({ subjectKeyType: 'integer' });
  for (const subjectKey of [7, 8]) {
    await syncDocument(client, { documentId: 'cv', text: `The CV of ${subjectKey}.`, subjectKey });
  }

  const listed = await line.run(Documents, ['--subject', '7']);
  const printed = await line.run(DocumentsGet, ['cv', '--subject', '8']);
  const open = await line.run(DocumentsGet, ['cv']);
  const removed = await line.run(DocumentsRemove, ['cv', '--subject', '7', '--yes']);

  expect(listed.result?.documents).toMatchObject([{ documentId: 'cv', subjectKey: 7 }]);
  expect(printed.stdout).toBe('The CV of 8.\n');
  expect(open).toMatchObject({ exitCode: 1, error: { message: expect.stringContaining('subjectKey is required') } });
  expect(removed.stdout).toBe('deleted  1 memory\n');
});
