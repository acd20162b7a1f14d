import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { StoreInUseError, StoreOpenError } from '../../ports/store-errors.js';
import { anOrganization, softDelete, store } from '../../testing/fixtures/memories.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { type BackupOptions, backUp } from './backup.js';
import { Connection } from './engine/connection.js';
import { lockFolder } from './engine/folder/folder-lock.js';
import { restore } from './restore.js';
import type { SqliteStore } from './sqlite-store.js';
import { openSqliteStore } from './store.js';
import { verifyBackup } from './verify-backup.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: true, order: 'oldest' } as const;
const CANARY = 'sealed with the key';
const OPTIONS: BackupOptions = {
  keyFile: undefined,
  opensCanary: (canary) => canary === CANARY,
  release: '1.2.3',
  takenAt: new Date('2026-01-02T03:04:05Z'),
};

describe('a backup of a store in use', () => {
  test('contains the memories of one state, and is restored to a folder with a new id', async () => {
    const { dataDir, opened, organizationId, target } = await aStore();
    const before = await countOf(opened, organizationId);

    const manifest = await backUp(dataDir, target, OPTIONS);
    await store(opened, organizationId, { content: 'stored after the backup' });

    expect(manifest).toMatchObject({ format: 1, release: '1.2.3', takenAt: '2026-01-02T03:04:05.000Z' });
    expect(manifest).toMatchObject({ encryptionKey: 'absent', counts: { memories: before, identity: 1 } });
    expect(await faultsOf(target)).toEqual([]);
    const other = await restored(target);
    expect(idOf(other)).not.toBe(idOf(dataDir));
    await using copy = await openSqliteStore({ dataDir: other });
    expect(await countOf(copy, organizationId)).toBe(before);
    expect(await copy.canary.read()).toBe(CANARY);
  });

  test('contains only its files, which only its owner may read', async () => {
    const { dataDir, target, keyFile } = await aStore();

    await backUp(dataDir, target, { ...OPTIONS, keyFile });

    expect(readdirSync(target).sort()).toEqual(['backup.json', 'encryption.key', 'memory.db']);
    expect(statSync(target).mode & 0o077).toBe(0);
    for (const name of readdirSync(target)) expect(statSync(join(target, name)).mode & 0o077).toBe(0);
    expect(existsSync(`${target}.unfinished`)).toBe(false);
  });
});

describe('a backup with the key', () => {
  test('contains the key, which is restored too', async () => {
    const { dataDir, target, keyFile } = await aStore();

    const { encryptionKey } = await backUp(dataDir, target, { ...OPTIONS, keyFile });

    expect(encryptionKey).toBe('included');
    expect(await faultsOf(target)).toEqual([]);
    expect(readFileSync(join(await restored(target), 'encryption.key'), 'utf8')).toBe('the key');
  });

  test('fails if the store was used with another key', async () => {
    const { dataDir, target, keyFile } = await aStore();

    const made = backUp(dataDir, target, { ...OPTIONS, keyFile, opensCanary: () => false });

    await expect(made).rejects.toThrow(/does not contain the key of this store/);
    expect([target, `${target}.unfinished`].filter((folder) => existsSync(folder))).toEqual([]);
  });

  test('does not overwrite another key when it is restored', async () => {
    const { dataDir, target, keyFile } = await aStore();
    await backUp(dataDir, target, { ...OPTIONS, keyFile });
    const other = quickFolder();
    writeFileSync(join(other, 'encryption.key'), 'another key');

    await expect(restore(target, other, join(other, 'encryption.key'))).rejects.toThrow(/contains a different key/);

    expect(readFileSync(join(other, 'encryption.key'), 'utf8')).toBe('another key');
  });
});

describe('a backup fails', () => {
  test('in a folder that has files', async () => {
    const { dataDir, target } = await aStore();
    mkdirSync(target);
    writeFileSync(join(target, 'notes.txt'), 'mine');

    await expect(backUp(dataDir, target, OPTIONS)).rejects.toThrow(/is not an empty folder/);
    await expect(backUp(dataDir, dataDir, OPTIONS)).rejects.toThrow(StoreOpenError);

    expect(readFileSync(join(target, 'notes.txt'), 'utf8')).toBe('mine');
  });

  test('for a folder without a database', async () => {
    const dataDir = quickFolder();

    await expect(backUp(dataDir, join(quickFolder(), 'copy'), OPTIONS)).rejects.toThrow(/nothing to back up/);

    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('while another one writes to the same folder', async () => {
    const { dataDir, target } = await aStore();
    const draft = `${target}.unfinished`;
    mkdirSync(draft);
    const lock = lockFolder(draft, join(draft, 'memory.db'));

    const second = backUp(dataDir, target, OPTIONS);

    await expect(second).rejects.toThrow(StoreInUseError);
    lock.close();
  });

  test('if a folder with other files has the name of its draft', async () => {
    const { dataDir, target } = await aStore();
    mkdirSync(`${target}.unfinished`);
    writeFileSync(join(`${target}.unfinished`, 'thesis.txt'), 'mine');

    await expect(backUp(dataDir, target, OPTIONS)).rejects.toThrow(/thesis\.txt is not from a backup/);

    expect(readFileSync(join(`${target}.unfinished`, 'thesis.txt'), 'utf8')).toBe('mine');
  });
});

describe('verifying detects', () => {
  test.each<[string, (target: string) => void, RegExp]>([
    ['a byte that changed', (target) => flipByte(join(target, 'memory.db')), /memory\.db: has different content/],
    ['a truncated database', (target) => cut(join(target, 'memory.db')), /memory\.db: has \d+ bytes instead/],
    ['a file that is missing', (target) => rmSync(join(target, 'memory.db')), /memory\.db: cannot be read/],
    ['a backup without its manifest', (target) => rmSync(join(target, 'backup.json')), /is not a backup/],
    ['a truncated manifest', (target) => cut(join(target, 'backup.json')), /cannot be read/],
    ['a log beside the database', (target) => writeFileSync(join(target, 'memory.db-wal'), ''), /does not list/],
    ['a manifest of a later format', (target) => edit(target, '"format": 1', '"format": 2'), /does not know/],
    ['missing rows', (target) => edit(target, '"identity": 1', '"identity": 2'), /identity has 1 rows/],
    ['a manifest that lists nothing', (target) => edit(target, '"memory.db"', '"other.db"'), /does not list/],
  ])('%s', async (_, breakIt, fault) => {
    const { dataDir, target } = await aStore();
    await backUp(dataDir, target, OPTIONS);

    breakIt(target);

    expect((await faultsOf(target)).join('\n')).toMatch(fault);
  });

  test('no fault in a backup of an earlier release', async () => {
    const { dataDir, opened, target } = await aStore();
    await opened[Symbol.asyncDispose]();
    const connection = new Connection(join(dataDir, 'memory.db'));
    connection.exec('PRAGMA user_version = 15');
    connection.close();

    const { schema } = await backUp(dataDir, target, OPTIONS);

    expect(schema).toBe(15);
    expect(await faultsOf(target)).toEqual([]);
  });
});

describe('a backup or a restore that was killed', () => {
  test('leaves no backup, and lets the next backup succeed', async () => {
    const { dataDir, target } = await aStore();
    const draft = `${target}.unfinished`;
    mkdirSync(draft);
    writeFileSync(join(draft, 'memory.db'), 'half of a database');
    writeFileSync(join(draft, 'backup.json.new'), '{');

    expect(await faultsOf(target)).not.toEqual([]);
    expect(await faultsOf(draft)).not.toEqual([]);
    await backUp(dataDir, target, OPTIONS);

    expect(await faultsOf(target)).toEqual([]);
  });

  test('leaves a folder in which no store opens, and lets the next restore succeed', async () => {
    const { dataDir, organizationId, target } = await aStore();
    await backUp(dataDir, target, OPTIONS);
    const other = quickFolder();
    writeFileSync(join(other, 'memory.id'), `${'0'.repeat(32)}\n`);
    writeFileSync(join(other, 'memory.db.restoring'), 'half of a database');
    writeFileSync(join(other, 'memory.db.restoring-journal'), 'a journal of it');

    await expect(openSqliteStore({ dataDir: other })).rejects.toThrow(/memory\.db is missing/);
    await restore(target, other, join(other, 'encryption.key'));

    await using copy = await openSqliteStore({ dataDir: other });
    expect(await countOf(copy, organizationId)).toBe(40);
  });

  test('a restore rejects a folder with memories or one in use', async () => {
    const { dataDir, opened, target, keyFile } = await aStore();
    await backUp(dataDir, target, OPTIONS);
    await expect(restore(target, dataDir, keyFile)).rejects.toThrow(/is not empty/);
    await opened[Symbol.asyncDispose]();
    const other = quickFolder();
    const lock = lockFolder(other, join(other, 'memory.db'));

    await expect(restore(target, other, join(other, 'encryption.key'))).rejects.toThrow(StoreInUseError);

    lock.close();
    await expect(restore(target, other, join(other, 'encryption.key'))).resolves.toBeUndefined();
  });
});

/** Opens a store with memories, some of them deleted, and returns an unused path for its backup. */
async function aStore() {
  const dataDir = quickFolder();
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const organizationId = await anOrganization(opened);
  const given = Array.from({ length: 40 }, (_, n) => ({ content: `memory ${n}`, metadata: { kind: `kind ${n % 7}` } }));
  const stored = await store(opened, organizationId, ...given);
  for (const memory of stored.slice(0, 5)) await softDelete(opened, memory);
  await opened.canary.replace(undefined, CANARY);
  const keyFile = join(dataDir, 'encryption.key');
  writeFileSync(keyFile, 'the key');
  return { dataDir, opened, organizationId, keyFile, target: join(quickFolder(), 'copy') };
}

async function countOf(opened: SqliteStore, organizationId: string): Promise<number> {
  return (await opened.memories.list(organizationId, { ...EVERYTHING, limit: 1_000 })).length;
}

async function restored(target: string): Promise<string> {
  const folder = join(quickFolder(), 'data');
  await restore(target, folder, join(folder, 'encryption.key'));
  return folder;
}

async function faultsOf(target: string): Promise<string[]> {
  const faults: string[] = [];
  const opensCanary = existsSync(join(target, 'encryption.key')) ? OPTIONS.opensCanary : undefined;
  for await (const checked of verifyBackup(target, opensCanary)) {
    faults.push(...checked.faults.map((fault) => `${checked.what}: ${fault}`));
  }
  return faults;
}

function idOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'memory.id'), 'utf8');
}

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
  writeFileSync(path, bytes);
}

function cut(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length / 2));
}

function edit(target: string, from: string, to: string): void {
  const path = join(target, 'backup.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}
