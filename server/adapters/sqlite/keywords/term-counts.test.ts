import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { migrate } from '../engine/migrate.js';
import { termCounts } from './term-counts.js';

const WORDS = ['1_alder', '1_birch', '1_cedar'];

test('counts as the index does after every kind of change', () => {
  const { writer, reader } = open();
  const counted = () => WORDS.map(termCounts(reader));
  const isRight = () => expect(counted()).toEqual(WORDS.map((word) => count(reader, word)));

  isRight();
  for (let seq = 1; seq <= 20; seq += 1) {
    put(writer, seq, seq % 2 === 0 ? '1_alder 1_birch 1_birch' : '1_alder');
    isRight();
  }
  for (const seq of [2, 4, 5]) {
    writer.run('DELETE FROM keywords WHERE rowid = ?', seq);
    isRight();
  }
  put(writer, 7, '1_cedar');
  isRight();
  writer.run("INSERT INTO keywords (keywords, rank) VALUES ('merge', -64)");
  isRight();

  expect(counted()).toEqual([16, 8, 1]);
});

test('reads the index once for a word that is asked for again', () => {
  const { writer, reader } = open();
  put(writer, 1, '1_alder');
  termCounts(reader)('1_alder');
  const statements: string[] = [];
  const { get } = reader;
  reader.get = (sql, ...parameters) => {
    statements.push(sql);
    return get.call(reader, sql, ...parameters) as never;
  };

  const number = termCounts(reader)('1_alder');

  expect(number).toBe(1);
  expect(statements.filter((sql) => sql.includes('keyword_terms'))).toEqual([]);
});

function open(): { writer: Connection; reader: Connection } {
  const file = join(quickFolder(), 'memory.db');
  const writer = new Connection(file);
  writer.exec('PRAGMA journal_mode = WAL');
  migrate(writer);
  const reader = new Connection(file, { readOnly: true });
  onTestFinished(() => {
    reader.close();
    writer.close();
  });
  return { writer, reader };
}

function put(connection: Connection, seq: number, terms: string): void {
  connection.run('INSERT OR REPLACE INTO keywords (rowid, terms) VALUES (?, ?)', seq, terms);
}

function count(connection: Connection, word: string): number {
  return connection.get<{ doc: number }>('SELECT doc FROM keyword_terms WHERE term = ?', word)?.doc ?? 0;
}
