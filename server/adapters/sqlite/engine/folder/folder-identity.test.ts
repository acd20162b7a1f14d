import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreInUseError, StoreOpenError, StoreUnavailableError } from '../../../../ports/store-errors.js';
import { anOrganization, store } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { builtModule } from '../../../../testing/processes/server-process.js';
import { openSqliteStore } from '../../store.js';
import { Connection } from '../connection.js';
import { openDatabase } from '../database.js';
import { MIGRATIONS, migrate } from '../migrate.js';
import { identity } from '../migrations/014-identity.js';

describe('a data folder whose database', () => {
  test('is missing gets no new one until the id file is removed', async () => {
    const dataDir = await used();
    for (const name of ['memory.db', 'memory.db-wal', 'memory.db-shm']) rmSync(join(dataDir, name), { force: true });

    await expect(opening(dataDir)).rejects.toThrow(
      /memory\.db is missing.*put the database back.*or remove .*memory\.id/,
    );
    await expect(opening(dataDir)).rejects.toThrow(StoreOpenError);
    rmSync(join(dataDir, 'memory.id'));
    expect(await organizations(dataDir)).toEqual([]);
  });

  test('was emptied is left unchanged, and so is its log', async () => {
    const dataDir = await used();
    truncateSync(join(dataDir, 'memory.db'), 0);
    writeFileSync(join(dataDir, 'memory.db-wal'), 'what may still be of use');

    await expect(opening(dataDir)).rejects.toThrow(/memory\.db is empty/);

    expect(statSync(join(dataDir, 'memory.db')).size).toBe(0);
    expect(readFileSync(join(dataDir, 'memory.db-wal'), 'utf8')).toBe('what may still be of use');
  });

  test('lost its log before the first copy gets no new one', async () => {
    const dataDir = quickFolder();
    await using opened = await openSqliteStore({ dataDir });
    await anOrganization(opened);
    const copy = quickFolder();
    // The log is copied into the database at 8 MiB. Until then it has everything except the header.
    for (const name of ['memory.db', 'memory.id', 'memory.lock']) cpSync(join(dataDir, name), join(copy, name));

    await expect(opening(copy)).rejects.toThrow(/memory\.db has no tables/);
  });

  test('belongs to another folder is rejected until the id file is removed', async () => {
    const [dataDir, other] = [await used(), await used()];
    const expected = await organizations(other);
    cpSync(join(other, 'memory.db'), join(dataDir, 'memory.db'));

    await expect(opening(dataDir)).rejects.toThrow(/memory\.db belongs to another data folder/);

    rmSync(join(dataDir, 'memory.id'));
    expect(await organizations(dataDir)).toEqual(expected);
  });

  test('is of an earlier release gets an id, even if the folder had another one', async () => {
    for (const hadId of [false, true]) {
      const dataDir = await used();
      if (!hadId) rmSync(join(dataDir, 'memory.id'));
      putEarlierDatabase(dataDir, 'earlier');

      expect(await organizations(dataDir)).toEqual(['earlier']);
      expect(await organizations(dataDir)).toEqual(['earlier']);
      expect(idOf(dataDir)).toMatch(/^[0-9a-f]{32}\n$/);
    }
  });

  test('is complete opens at another path, and without the id file', async () => {
    const dataDir = await used();
    const copies = [quickFolder(), quickFolder()];
    for (const copy of copies) cpSync(dataDir, copy, { recursive: true });
    const [restored = '', bare = ''] = copies;
    for (const name of ['memory.id', 'memory.lock']) rmSync(join(bare, name));

    const expected = await organizations(dataDir);

    expect(await organizations(restored)).toEqual(expected);
    expect(await organizations(bare)).toEqual(expected);
    expect(idOf(bare)).toBe(idOf(dataDir));
  });
});

test('opening does not overwrite an id file without an id', async () => {
  const dataDir = await used();
  writeFileSync(join(dataDir, 'memory.id'), 'something else');

  await expect(opening(dataDir)).rejects.toThrow(
    /memory\.id does not contain the id.*restore it from a backup, or remove it/,
  );
});

describe('a lock that was removed', () => {
  test('does not admit a second process while the first has the database open', async () => {
    const dataDir = await used();
    const holder = await holding(dataDir);
    rmSync(join(dataDir, 'memory.lock'));

    const refused = opening(dataDir);

    await expect(refused).rejects.toThrow(StoreInUseError);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await opening(dataDir);
  });

  test('ends the service at the next write', async () => {
    const dataDir = quickFolder();
    const faults: unknown[] = [];
    const opened = await openSqliteStore({ dataDir, onFatal: (error) => faults.push(error) });
    onTestFinished(() => opened[Symbol.asyncDispose]().catch(() => {}));
    const organizationId = await anOrganization(opened);
    await store(opened, organizationId, {});
    rmSync(join(dataDir, 'memory.lock'));

    const writing = store(opened, organizationId, {});

    await expect(writing).rejects.toThrow(StoreUnavailableError);
    expect(faults).toEqual([expect.objectContaining({ message: expect.stringMatching(/memory\.lock was removed/) })]);
  });
});

/** Returns a data folder with one organization, whose store is closed. */
async function used(): Promise<string> {
  const dataDir = quickFolder();
  await using opened = await openSqliteStore({ dataDir });
  await anOrganization(opened);
  return dataDir;
}

/** Replaces the database with one of the last release without ids, with one organization. */
function putEarlierDatabase(dataDir: string, organizationId: string): void {
  for (const name of ['memory.db', 'memory.db-wal', 'memory.db-shm']) rmSync(join(dataDir, name), { force: true });
  const connection = new Connection(join(dataDir, 'memory.db'));
  migrate(connection, MIGRATIONS.slice(0, MIGRATIONS.indexOf(identity)));
  const sql = "INSERT INTO organizations (id, name, created_at, settings) VALUES (?, '', 0, '{}')";
  connection.run(sql, organizationId);
  connection.close();
}

async function organizations(dataDir: string): Promise<string[]> {
  await using opened = await openSqliteStore({ dataDir });
  return opened.accounts.organizationIds();
}

/** Opens the store, and rejects as the service would. */
async function opening(dataDir: string): Promise<void> {
  openDatabase(dataDir, () => {}).close();
}

function idOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'memory.id'), 'utf8');
}

/** Starts another process that uses the folder. */
async function holding(dataDir: string): Promise<ChildProcess> {
  const program = builtModule('testing/embedded/hold-folder.js');
  const child = fork(program, [dataDir], { execArgv: [] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}
