import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyStoreFolder } from '../../testing/embedded/store-folder.js';
import { aFullOrganization, deleteFully } from '../../testing/fixtures/full-organization.js';
import { store as insertMemories } from '../../testing/fixtures/memories.js';
import { checkDataFolder } from './check.js';
import { Connection } from './engine/connection.js';
import { DATABASE_FILE } from './engine/database.js';
import type { SqliteStore } from './sqlite-store.js';
import { openSqliteStore } from './store.js';
import { INDEX_FOLDER } from './vector-index/file/index-folder.js';

/** Tables of the whole store, and of people, who keep their accounts. */
const OF_NO_ORGANIZATION = /^(fingerprints|identity|keyword.*|probes|sessions|sign_in_links|sqlite_.*|users)$/;
/** How the rows of a table without a column `org` name their organization. */
const NAMING: Readonly<Record<string, string>> = {
  organizations: 'key = ?1',
  jobs: "data ->> 'organizationId' = ?2",
};

/** The rows of one organization by table. */
type Rows = Readonly<Record<string, readonly unknown[]>>;

test('a deletion leaves no row, word or file of its organization, and everything of another', async () => {
  const dataDir = emptyStoreFolder();
  const first = await open(dataDir);
  const [deleted, kept] = [await aFullOrganization(first), await aFullOrganization(first)];
  await fillIndexes(first, [deleted, kept]);
  await first.warm();
  await first[Symbol.asyncDispose]();
  const own = keyOf(dataDir, deleted);
  const other = keyOf(dataDir, kept);
  const before = [rowsOf(dataDir, own), rowsOf(dataDir, other)] as const;
  const store = await open(dataDir);
  await store.warm();

  await deleteFully(store, own.id);
  await store[Symbol.asyncDispose]();

  // A table that is empty before would not be tested: `aFullOrganization` fills each.
  for (const rows of before) expect(emptyOnes(rows)).toEqual(['deleted_organizations']);
  expect(emptyOnes(rowsOf(dataDir, own))).toEqual(Object.keys(before[0]));
  expect(rowsOf(dataDir, other)).toEqual(before[1]);
  expect(readdirSync(join(dataDir, INDEX_FOLDER))).toEqual([`${other.id}.vectors`]);
  expect(read(dataDir, 'SELECT id AS seq FROM keywords_docsize')).toEqual(read(dataDir, 'SELECT seq FROM memories'));
  for await (const { faults } of checkDataFolder(dataDir, undefined)) expect(faults).toEqual([]);
});

test('no key of an organization is used twice, even of the last one', async () => {
  const dataDir = emptyStoreFolder();
  const store = await open(dataDir);
  const first = await aFullOrganization(store);
  const { key } = keyOf(dataDir, first);
  await deleteFully(store, first.organizationId);

  const next = await aFullOrganization(store);

  expect(keyOf(dataDir, next).key).toBe(key + 1);
});

async function open(dataDir: string): Promise<SqliteStore> {
  const store = await openSqliteStore({ dataDir, indexFileRows: 1 });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** Writes until each organization has metadata in the indexes, and then in the backlog. */
async function fillIndexes(store: SqliteStore, organizations: readonly { organizationId: string }[]): Promise<void> {
  for (const count of [100, 1]) {
    for (const { organizationId } of organizations) {
      const given = Array.from({ length: count }, (_, serial) => ({ metadata: { kind: 'a', serial } }));
      await insertMemories(store, organizationId, ...given);
    }
  }
}

interface Key {
  id: string;
  key: number;
}

function keyOf(dataDir: string, { organizationId: id }: { organizationId: string }): Key {
  const [row] = read<{ key: number }>(dataDir, 'SELECT key FROM organizations WHERE id = ?', id);
  return { id, key: row!.key };
}

/** Fails if it does not know how a table names its organization. */
function rowsOf(dataDir: string, { id, key }: Key): Rows {
  const tables = read<{ name: string; isOwned: number }>(
    dataDir,
    `SELECT name, EXISTS (SELECT 1 FROM pragma_table_info(s.name) WHERE name = 'org') AS isOwned
       FROM sqlite_schema s WHERE type = 'table' ORDER BY name`,
  );
  const owned = tables.filter(({ name }) => !OF_NO_ORGANIZATION.test(name));
  const entries = owned.map(({ name, isOwned }) => {
    const condition = isOwned ? 'org = ?1' : NAMING[name];
    if (condition === undefined) throw new Error(`Say here how a row of ${name} names its organization`);
    return [name, read(dataDir, `SELECT * FROM ${name} WHERE ${condition} AND ?2 <> ''`, key, id)];
  });
  return Object.fromEntries(entries) as Rows;
}

function emptyOnes(rows: Rows): string[] {
  return Object.keys(rows).filter((table) => rows[table]?.length === 0);
}

function read<Row>(dataDir: string, sql: string, ...parameters: (string | number)[]): Row[] {
  const connection = new Connection(join(dataDir, DATABASE_FILE), { readOnly: true });
  try {
    return connection.all<Row>(sql, ...parameters).map((row) => ({ ...row }));
  } finally {
    connection.close();
  }
}
