import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreInUseError, StoreOpenError, StoreUnavailableError } from '../../../ports/store.js';
import { anOrganization, store } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { openSqliteStore } from '../store.js';
import { Connection } from './connection.js';
import { openDatabase } from './database.js';

/** What migrations after that of the identity made. */
const LATER_STEPS_UNDONE = `
  DROP TABLE tombstones;
  DROP INDEX outbound_deliveries_by_memory;
  DROP INDEX organizations_by_retention;
  DROP INDEX organizations_by_expiry;
  DROP INDEX memories_by_expiry;
  ALTER TABLE memories DROP COLUMN expires_at;
`;

describe('a data folder whose database', () => {
  test('is gone is not begun anew, until its id is removed', async () => {
    const dataDir = await used();
    for (const name of ['memory.db', 'memory.db-wal', 'memory.db-shm']) rmSync(join(dataDir, name), { force: true });

    await expect(opening(dataDir)).rejects.toThrow(
      /memory\.db is missing.*put the database back.*or remove .*memory\.id/,
    );
    await expect(opening(dataDir)).rejects.toThrow(StoreOpenError);
    rmSync(join(dataDir, 'memory.id'));
    expect(await organizations(dataDir)).toEqual([]);
  });

  test('was emptied is left as it is, its log too', async () => {
    const dataDir = await used();
    truncateSync(join(dataDir, 'memory.db'), 0);
    writeFileSync(join(dataDir, 'memory.db-wal'), 'what may still be of use');

    await expect(opening(dataDir)).rejects.toThrow(/memory\.db is empty/);

    expect(statSync(join(dataDir, 'memory.db')).size).toBe(0);
    expect(readFileSync(join(dataDir, 'memory.db-wal'), 'utf8')).toBe('what may still be of use');
  });

  test('lost its log before that was ever copied is not begun anew', async () => {
    const dataDir = quickFolder();
    await using opened = await openSqliteStore({ dataDir });
    await anOrganization(opened);
    const copy = quickFolder();
    // The log is copied into the database at 8 MiB: by now it has everything but the header.
    for (const name of ['memory.db', 'memory.id', 'memory.lock']) cpSync(join(dataDir, name), join(copy, name));

    await expect(opening(copy)).rejects.toThrow(/memory\.db has no tables/);
  });

  test('is that of another folder is refused, until its id is removed', async () => {
    const [dataDir, other] = [await used(), await used()];
    const expected = await organizations(other);
    cpSync(join(other, 'memory.db'), join(dataDir, 'memory.db'));

    await expect(opening(dataDir)).rejects.toThrow(/memory\.db belongs to another data folder/);

    rmSync(join(dataDir, 'memory.id'));
    expect(await organizations(dataDir)).toEqual(expected);
  });

  test('is of an earlier release gets an id, also where another one was', async () => {
    for (const hadId of [false, true]) {
      const dataDir = await used();
      const expected = await organizations(dataDir);
      const connection = new Connection(join(dataDir, 'memory.db'));
      connection.exec(`DROP TABLE identity; ${LATER_STEPS_UNDONE} PRAGMA user_version = 13`);
      connection.close();
      if (!hadId) rmSync(join(dataDir, 'memory.id'));

      expect(await organizations(dataDir)).toEqual(expected);
      expect(await organizations(dataDir)).toEqual(expected);
      expect(idOf(dataDir)).toMatch(/^[0-9a-f]{32}\n$/);
    }
  });

  test('is whole opens elsewhere, and without the file that has its id', async () => {
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

test('a file that holds no id is not written over', async () => {
  const dataDir = await used();
  writeFileSync(join(dataDir, 'memory.id'), 'something else');

  await expect(opening(dataDir)).rejects.toThrow(
    /memory\.id does not hold the id.*restore it from a backup, or remove it/,
  );
});

describe('a lock that was removed', () => {
  test('lets no second process in while the first has the database open', async () => {
    const dataDir = await used();
    const holder = await holding(dataDir);
    rmSync(join(dataDir, 'memory.lock'));

    const refused = opening(dataDir);

    await expect(refused).rejects.toThrow(StoreInUseError);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await opening(dataDir);
  });

  test('ends writing at the next write', async () => {
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

/** A data folder that a store was open on, with an organization in it. */
async function used(): Promise<string> {
  const dataDir = quickFolder();
  await using opened = await openSqliteStore({ dataDir });
  await anOrganization(opened);
  return dataDir;
}

async function organizations(dataDir: string): Promise<string[]> {
  await using opened = await openSqliteStore({ dataDir });
  return opened.accounts.organizationIds();
}

/** Rejects as it would in the service. */
async function opening(dataDir: string): Promise<void> {
  openDatabase(dataDir, () => {}).close();
}

function idOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'memory.id'), 'utf8');
}

/** Another process that has the folder. */
async function holding(dataDir: string): Promise<ChildProcess> {
  const program = join(import.meta.dirname, '../../../dist/testing/embedded/hold-folder.js');
  const child = fork(program, [dataDir], { execArgv: [] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}
