import { expect, onTestFinished, test, vi } from 'vitest';
import type { Memory } from '../../../../domain/memory/memory.js';
import { recordStatements } from '../../../../testing/embedded/statements.js';
import {
  anOrganization,
  change,
  indexedBy,
  insertInto,
  NORTH,
  softDelete,
  store,
} from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import type { SqliteStore } from '../../sqlite-store.js';
import { openSqliteStore } from '../../store.js';

const CONTENT = 'the wanted content';

test('a unit looks once for a content that its request did not find', async () => {
  const { opened, organizationId } = await anEmptyStore();
  await areActive(opened, organizationId);
  const statements = recordStatements();
  onTestFinished(() => {
    vi.restoreAllMocks();
  });

  const found = await find(opened, organizationId);

  expect(found).toBeUndefined();
  expect([...statements()].filter((sql) => sql.includes('content_hash = ?'))).toEqual([]);
});

test.each<[string, (opened: SqliteStore, organizationId: string, others: Others) => Promise<unknown>]>([
  ['inserted', (opened, organizationId) => store(opened, organizationId, { content: CONTENT })],
  ['given to another memory', (opened, _, { other }) => change(opened, other, { content: CONTENT }, NORTH)],
  ['restored', (opened, organizationId, { deleted }) => restore(opened, organizationId, deleted)],
])('a unit finds a content that was %s after its request did not find it', async (_, write) => {
  const { opened, organizationId } = await anEmptyStore();
  const [other, wanted] = await store(opened, organizationId, { content: 'other' }, { content: CONTENT });
  const deleted = await softDelete(opened, wanted!);
  expect(await areActive(opened, organizationId)).toEqual([false]);

  await write(opened, organizationId, { other: other!, deleted });

  expect(await find(opened, organizationId)).toMatchObject({ content: CONTENT });
});

test('a unit finds a content that an open unit had written when its request looked for it', async () => {
  const { opened, organizationId } = await anEmptyStore();
  let read: boolean[] = [];
  await opened.transact(organizationId, async (unit) => {
    await insertInto(unit, { content: CONTENT });
    read = await areActive(opened, organizationId);
  });

  expect(read).toEqual([false]);
  expect(await find(opened, organizationId)).toMatchObject({ content: CONTENT });
});

function restore(opened: SqliteStore, organizationId: string, { deletedAt: _, ...memory }: Memory): Promise<void> {
  return opened.transact(organizationId, (unit) => unit.update(memory));
}

interface Others {
  other: Memory;
  deleted: Memory;
}

async function anEmptyStore(): Promise<{ opened: SqliteStore; organizationId: string }> {
  const opened = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, organizationId: await anOrganization(opened) };
}

function areActive(opened: SqliteStore, organizationId: string): Promise<boolean[]> {
  return opened.memories.areActive(organizationId, [indexedBy({ content: CONTENT })]);
}

function find(opened: SqliteStore, organizationId: string): Promise<Memory | undefined> {
  const { contentHash } = indexedBy({ content: CONTENT });
  return opened.transact(organizationId, (unit) => unit.findActiveByContent({}, contentHash));
}
