// Keeps one memory per file: each run stores new and changed files of a folder, and deletes memories of removed files.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient();

// #region sync-folder
/** Keys are unique within a scope, so that two folders may contain files with the same name. */
const scope = { source: 'folder', project: 'handbook' };

async function syncFolder(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md'));
  for (const file of files) {
    await client.upsert({
      externalKey: file,
      scope,
      content: await readFile(join(folder, file), 'utf8'), // sending the same content again changes nothing
      metadata: scope,
      dedupe: 'off', // two files may have the same content
      restoreDeleted: true, // a file that was removed may come back
    });
  }
  for await (const { id, externalKey = '' } of client.export({ filter: scope })) {
    if (!files.includes(externalKey)) await client.delete(id);
  }
}
// #endregion sync-folder

async function stored(): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for await (const { externalKey = '', content } of client.export({ filter: scope })) contents[externalKey] = content;
  return contents;
}

const folder = await mkdtemp(join(tmpdir(), 'memory-example-'));
try {
  await writeFile(join(folder, 'deploys.md'), 'Deploys run on Fridays.');
  await writeFile(join(folder, 'holidays.md'), 'There are thirty days of holidays.');
  await syncFolder(folder);
  assert.deepEqual(await stored(), {
    'deploys.md': 'Deploys run on Fridays.',
    'holidays.md': 'There are thirty days of holidays.',
  });

  await writeFile(join(folder, 'deploys.md'), 'Deploys run on Thursdays.');
  await rm(join(folder, 'holidays.md'));
  await syncFolder(folder);
  assert.deepEqual(await stored(), { 'deploys.md': 'Deploys run on Thursdays.' });

  await writeFile(join(folder, 'holidays.md'), 'There are thirty days of holidays.');
  await writeFile(join(folder, 'holidays-copy.md'), 'There are thirty days of holidays.');
  await syncFolder(folder);
  await syncFolder(folder);
  assert.equal(Object.keys(await stored()).length, 3);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log('the service matched the folder after each of three runs');
