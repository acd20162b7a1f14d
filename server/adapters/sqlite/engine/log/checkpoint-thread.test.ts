import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Connection } from '../connection.js';
import { CheckpointThread } from './checkpoint-thread.js';

describe('CheckpointThread', () => {
  test('copies the log into the database while the main thread does something else', async () => {
    const path = join(folder(), 'memory.db');
    const { thread } = copying(path);
    const writer = database(path);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    onTestFinished(() => clearInterval(counting));

    await thread.copy('PASSIVE');

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 4, checkpointed: 4 });
    expect(turns).toBeGreaterThan(0);
  });

  test('does not wait for a reader of an older state', async () => {
    const path = join(folder(), 'memory.db');
    const { thread } = copying(path);
    const writer = database(path);
    readerOfOlderState(path, writer);

    await thread.copy('PASSIVE');

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 5, checkpointed: 4 });
  });

  test('waits for readers only a little in the mode RESTART', async () => {
    const path = join(folder(), 'memory.db');
    const { thread } = copying(path);
    const writer = database(path);
    const reader = readerOfOlderState(path, writer);

    await thread.copy('RESTART');
    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 5, checkpointed: 4 });
    reader.exec('COMMIT');
    await thread.copy('RESTART');

    expect(writer.get('PRAGMA wal_checkpoint(NOOP)')).toMatchObject({ log: 5, checkpointed: 5 });
  });
});

function copying(path: string) {
  const thread = new CheckpointThread(path, () => {});
  onTestFinished(() => thread.close());
  return { thread };
}

/** Creates a database with four pages in its log. */
function database(path: string): Connection {
  const writer = new Connection(path);
  onTestFinished(() => writer.close());
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n INTEGER)');
  writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let n = 0; n < 4; n += 1) writer.run('INSERT INTO numbers VALUES (0)');
  return writer;
}

/** Opens a reader of the state before a write, which reads until it commits. */
function readerOfOlderState(path: string, writer: Connection): Connection {
  const reader = new Connection(path);
  onTestFinished(() => reader.close());
  reader.exec('BEGIN');
  reader.get('SELECT count(*) FROM numbers');
  writer.run('INSERT INTO numbers VALUES (1)');
  return reader;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'memory-thread-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
