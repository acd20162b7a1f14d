import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../domain/filter.js';
import type { Position } from '../ports/store.js';
import { testWorld } from '../testing/test-deps.js';
import { deleteMemory } from './delete.js';
import { ingest } from './ingest.js';
import { changeOf, exportPage, getMemory, listChanges } from './reads.js';
import { updateMemory } from './update.js';

const ACTIVE = { filter: NO_FILTER, includeDeleted: false };
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

describe('getMemory', () => {
  test('hides a deleted memory from who does not ask for deleted ones', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });
    await deleteMemory(deps, caller, memory.id);

    await expect(getMemory(deps, caller, memory.id, false)).rejects.toMatchObject({ status: 404 });

    expect(await getMemory(deps, caller, memory.id, true)).toMatchObject({ id: memory.id, content: 'x' });
  });
});

describe('exportPage', () => {
  test('says that there is more only when there is', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 4; n++) await ingest(deps, caller, { content: `memory ${n}` });

    const first = await exportPage(deps, caller, ACTIVE, { limit: 2 });
    const second = await exportPage(deps, caller, ACTIVE, { limit: 2, after: first.last });

    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    expect([...first.memories, ...second.memories].map(({ content }) => content)).toEqual([
      'memory 0',
      'memory 1',
      'memory 2',
      'memory 3',
    ]);
  });
});

describe('listChanges', () => {
  test('tells what was created, updated and deleted, each memory at its last change', async () => {
    const { deps, caller } = await testWorld();
    const created = await ingest(deps, caller, { content: 'created' });
    const updated = await ingest(deps, caller, { content: 'updated' });
    const deleted = await ingest(deps, caller, { content: 'deleted' });
    await updateMemory(deps, caller, updated.memory.id, { metadata: { a: 1 } });
    await deleteMemory(deps, caller, deleted.memory.id);

    const { memories } = await listChanges(deps, caller, EVERYTHING, { since: 0, limit: 10 });

    expect(memories.map((memory) => [memory.id, changeOf(memory)])).toEqual([
      [created.memory.id, 'created'],
      [updated.memory.id, 'updated'],
      [deleted.memory.id, 'deleted'],
    ]);
  });

  test('takes since inclusively and the cursor exclusively', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });
    const position = { at: memory.updatedAt, id: memory.id };

    const since = await listChanges(deps, caller, ACTIVE, { since: memory.updatedAt, limit: 10 });
    const after = await listChanges(deps, caller, ACTIVE, { since: memory.updatedAt, limit: 10, after: position });

    expect(since.memories).toHaveLength(1);
    expect(after.memories).toEqual([]);
  });

  test('misses nothing that eight writers write while it reads', async () => {
    const { deps, caller } = await testWorld();
    const seen = new Set<string>();
    const written: string[] = [];
    let after: Position | undefined;
    const read = async () => {
      const page = await listChanges(deps, caller, ACTIVE, { since: 0, limit: 7, after });
      for (const { id } of page.memories) seen.add(id);
      after = page.last ?? after;
      return page.memories.length;
    };

    let writing = 8;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 40; n++) {
        const { memory } = await ingest(deps, caller, { content: `writer ${writer} wrote ${n}` });
        written.push(memory.id);
      }
      writing--;
    });
    while (writing > 0) {
      await read();
      await new Promise(setImmediate);
    }
    await Promise.all(writers);
    while ((await read()) > 0);

    expect(written.filter((id) => !seen.has(id))).toEqual([]);
  });
});
