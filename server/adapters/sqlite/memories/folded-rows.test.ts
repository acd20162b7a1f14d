import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chunkIdentity } from '../../../domain/memory/chunk.js';
import { forgetFolds } from '../../../testing/embedded/use-everything.js';
import { anOrganization, indexedBy, store } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { openSqliteStore } from '../store.js';

test('a memory that was stored before folds were is found by its fold, and has one from then on', async () => {
  const { opened, organizationId, path } = await open();
  const chunk = { documentId: 'd', chunkIndex: 0, chunkTotal: 1 };
  const [oldest, chunked] = await store(
    opened,
    organizationId,
    { content: 'Same' },
    { content: 'same', metadata: chunk },
    { content: 'other' },
  );
  forgetFolds(path);

  const find = (identity?: string) =>
    opened.transact(organizationId, (unit) =>
      unit.findActiveByFold({ chunk: identity }, indexedBy({ content: 'SAME' })),
    );

  expect(await find()).toEqual(oldest);
  expect(await find(chunkIdentity(chunk))).toEqual(chunked);
  // Of other words, so nobody looked at it.
  expect(unfolded(path)).toEqual(['other']);
});

test('a lookup folds only so much of what is old, and the next ones the rest', async () => {
  const { opened, organizationId, path } = await open();
  const word = 'x'.repeat(60_000);
  const contents = Array.from({ length: 4 }, (_, n) => word.slice(0, n) + word.slice(n).toUpperCase());
  const stored = await store(opened, organizationId, ...contents.map((content) => ({ content })));
  forgetFolds(path);
  const find = () => opened.transact(organizationId, (unit) => unit.findActiveByFold({}, indexedBy({ content: word })));

  expect(await find()).toEqual(stored[0]);
  expect(unfolded(path)).toHaveLength(2);
  expect(await find()).toEqual(stored[0]);
  expect(unfolded(path)).toHaveLength(0);
});

function unfolded(path: string): string[] {
  const connection = new Connection(path, { readOnly: true });
  const rows = connection.all<{ content: string }>('SELECT content FROM memories WHERE fold_hash IS NULL');
  connection.close();
  return rows.map(({ content }) => content);
}

async function open() {
  const dataDir = quickFolder();
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, organizationId: await anOrganization(opened), path: join(dataDir, 'memory.db') };
}
