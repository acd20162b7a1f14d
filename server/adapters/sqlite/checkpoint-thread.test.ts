import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../ports/store.js';
import { CheckpointThread } from './checkpoint-thread.js';
import { Connection } from './connection.js';

describe('CheckpointThread', () => {
  test('copies the log into the database while this thread does something else', async () => {
    const path = join(folder(), 'memory.db');
    const { thread } = copying(path);
    const writer = database(path);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    onTestFinished(() => clearInterval(counting));

    await thread.copy();

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 4, checkpointed: 4 });
    expect(turns).toBeGreaterThan(0);
  });

  test('copies again, also after it was ended', async () => {
    const path = join(folder(), 'memory.db');
    const { thread } = copying(path);
    const writer = database(path);

    for (const end of [false, true, false]) {
      await thread.copy();
      if (end) await thread.close();
      writer.run('INSERT INTO numbers VALUES (1)');
    }
    await thread.copy();

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 1, checkpointed: 1 });
  });

  test('waits for nobody who reads an older state', async () => {
    const path = join(folder(), 'memory.db');
    const { thread } = copying(path);
    const writer = database(path);
    const reader = new Connection(path);
    onTestFinished(() => reader.close());
    reader.exec('BEGIN');
    reader.get('SELECT count(*) FROM numbers');
    writer.run('INSERT INTO numbers VALUES (1)');

    await thread.copy();

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 5, checkpointed: 4 });
  });

  test('tells of a damaged database as of a fatal error', async () => {
    const path = join(folder(), 'memory.db');
    writeFileSync(path, 'no database '.repeat(1_000));
    const { thread, faults } = copying(path);

    await expect(thread.copy()).rejects.toThrow(StoreUnavailableError);

    expect(faults).toMatchObject([{ errcode: 26 }]);
  });

  test('reports what it cannot open, and copies when it can', async () => {
    const path = join(folder(), 'later', 'memory.db');
    const { thread, faults } = copying(path);

    await expect(thread.copy()).rejects.toThrow(StoreUnavailableError);
    mkdirSync(dirname(path));
    const writer = database(path);
    await thread.copy();

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 4, checkpointed: 4 });
    expect(faults).toEqual([]);
  });

  test('fails the call that it died at, and is started anew for the next', async () => {
    const module = join(folder(), 'dies-once.mjs');
    writeFileSync(module, DIES_ONCE);
    const thread = new CheckpointThread(join(folder(), 'diary'), () => {}, module);
    onTestFinished(() => thread.close());

    await expect(thread.copy()).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      cause: expect.objectContaining({ message: 'on purpose' }),
    });

    await expect(thread.copy()).resolves.toBeUndefined();
  });
});

/** Leaves a note in place of a database, by which the next thread knows better. */
const DIES_ONCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { parentPort, workerData } from 'node:worker_threads';
  if (!existsSync(workerData.path)) {
    writeFileSync(workerData.path, '');
    throw new Error('on purpose');
  }
  parentPort.on('message', (order) => (order === 'copy' ? parentPort.postMessage({}) : parentPort.close()));
`;

function copying(path: string) {
  const faults: unknown[] = [];
  const thread = new CheckpointThread(path, (error) => faults.push(error));
  onTestFinished(() => thread.close());
  return { thread, faults };
}

/** With four pages in its log. */
function database(path: string): Connection {
  const writer = new Connection(path);
  onTestFinished(() => writer.close());
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n INTEGER)');
  writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let n = 0; n < 4; n += 1) writer.run('INSERT INTO numbers VALUES (0)');
  return writer;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memory-thread-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
