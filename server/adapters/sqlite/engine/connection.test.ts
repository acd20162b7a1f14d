import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from './connection.js';

test('a connection that is closed within a transaction rolls it back, and no longer keeps the log from restarting', () => {
  const path = join(quickFolder(), 'any.db');
  const writer = opened(path);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number)');
  const reader = new Connection(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.all('SELECT number FROM numbers');

  reader.close();

  writer.exec('INSERT INTO numbers VALUES (1)');
  expect(writer.get('PRAGMA wal_checkpoint(RESTART)')).toMatchObject({ busy: 0 });
});

test('a write of a connection that is closed before it commits is gone', () => {
  const path = join(quickFolder(), 'any.db');
  const writer = opened(path);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number)');
  const other = new Connection(path);
  other.exec('BEGIN');
  other.run('INSERT INTO numbers VALUES (1)');

  other.close();

  expect(writer.all('SELECT number FROM numbers')).toEqual([]);
  expect(writer.run('INSERT INTO numbers VALUES (2)').changes).toBe(1);
});

function opened(path: string): Connection {
  const connection = new Connection(path, { busyTimeoutMs: 0 });
  onTestFinished(() => connection.close());
  return connection;
}
