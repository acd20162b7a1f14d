import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import type { ListQuery } from '../../../../ports/memory-reader.js';
import { anOrganization, store } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import type { SqliteStore } from '../../sqlite-store.js';
import { openSqliteStore } from '../../store.js';

const MEMORIES = 12;
const BYTES = 100_000;
const EVERYTHING: ListQuery = {
  filter: NO_FILTER,
  includeDeleted: true,
  order: 'changed',
  limit: MEMORIES + 1,
  maxBytes: 2 * MEMORIES * BYTES,
};

test('a list of large memories gives others a turn after every few', async () => {
  const { opened, organizationId } = await withMemories();
  let isDone = false;
  let turns = 0;
  const others = async () => {
    for (; !isDone; turns += 1) await setImmediate();
  };
  const counting = others();

  const listed = await opened.memories.list(organizationId, EVERYTHING);
  isDone = true;
  await counting;

  expect(listed).toHaveLength(MEMORIES);
  // A slice of 256 KiB has two of them.
  expect(turns).toBeGreaterThanOrEqual(MEMORIES / 2 - 1);
});

test('a list of large memories belongs to one state while writes go on', async () => {
  const { opened, organizationId, ids } = await withMemories();
  let isDone = false;
  let version = 0;
  const writing = (async () => {
    for (; !isDone; version += 1) {
      await opened.transact(organizationId, async (unit) => {
        for (const id of ids) {
          const memory = await unit.findById(id);
          if (memory) await unit.update({ ...memory, metadata: { version }, updatedAt: await unit.tick() });
        }
      });
    }
  })();

  const versions: unknown[][] = [];
  for (let n = 0; n < 10; n += 1) {
    const listed = await opened.memories.list(organizationId, EVERYTHING);
    versions.push(listed.map(({ metadata }) => metadata.version));
  }
  isDone = true;
  await writing;

  expect(version).toBeGreaterThan(1);
  for (const each of versions) {
    expect(each).toHaveLength(MEMORIES);
    expect(new Set(each).size).toBe(1);
  }
});

async function withMemories(): Promise<{ opened: SqliteStore; organizationId: string; ids: string[] }> {
  const opened = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const organizationId = await anOrganization(opened);
  const ids: string[] = [];
  for (let n = 0; n < MEMORIES; n += 1) {
    const content = `${n} `.padEnd(BYTES / 3, '漢字');
    const [memory] = await store(opened, organizationId, { content });
    if (memory) ids.push(memory.id);
  }
  return { opened, organizationId, ids };
}
