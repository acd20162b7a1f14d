import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anOrganization, change, NORTH, softDelete, store } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { migrate } from '../engine/migrate.js';
import { openSqliteStore } from '../store.js';
import { keywordIndex } from './keyword-index.js';

const WORDS = ['1_alder', '1_birch', '1_cedar'];

test('returns the counts and places of words in the index after every kind of change', () => {
  const { writer, reader } = open();
  const counted = () => WORDS.map((word) => keywordIndex(reader).count(word));
  const isRight = () => {
    expect(counted()).toEqual(WORDS.map((word) => count(reader, word)));
    for (const word of WORDS) expect(keywordIndex(reader).postings(word)).toEqual(postings(reader, word));
  };

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
  const ask = () => [keywordIndex(reader).count('1_alder'), keywordIndex(reader).postings('1_alder')];
  const first = ask();
  const statements = observed(reader);

  const second = ask();

  expect(second).toEqual(first);
  expect(statements.filter((sql) => /keyword_(terms|instances)/.test(sql))).toEqual([]);
});

test('returns the lengths of contents after every kind of change, also of those that are not indexed yet', async () => {
  const dataDir = quickFolder();
  await using opened = await openSqliteStore({ dataDir });
  const reader = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
  onTestFinished(() => reader.close());
  const organizationId = await anOrganization(opened);
  const isRight = () => {
    const rows = reader.all<{ seq: number; words: number }>('SELECT seq, words FROM memories');
    const seqs = Array.from({ length: 100 }, (_, seq) => seq);
    expect(keywordIndex(reader).lengths(seqs)).toEqual(new Map(rows.map(({ seq, words }) => [seq, words])));
    return rows.length;
  };
  const words = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`).join(' ');
  const contents = Array.from({ length: 70 }, (_, n) => ({ content: `alder n${n}` }));
  for (const [n, count] of [127, 128, 300, 17_000].entries()) contents[n + 1] = { content: words(count) };
  const [first] = await store(opened, organizationId, ...contents.slice(0, 64));
  const memories = [first!, ...(await store(opened, organizationId, ...contents.slice(64)))];

  expect(isRight()).toBe(70);
  expect(reader.get('SELECT max(words) AS most FROM memories')).toEqual({ most: 17_000 });
  for (const memory of [memories.at(0)!, memories.at(-1)!]) {
    await change(opened, memory, { content: 'alder birch cedar' }, NORTH);
    isRight();
    await softDelete(opened, memory);
    isRight();
    await opened.transact(organizationId, async (unit) => unit.purge(memory.id, await unit.tick()));
    isRight();
  }

  expect(isRight()).toBe(68);
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

function observed(connection: Connection): string[] {
  const statements: string[] = [];
  connection.observe((sql) => statements.push(sql));
  return statements;
}

function put(connection: Connection, seq: number, terms: string): void {
  connection.run('INSERT OR REPLACE INTO keywords (rowid, terms) VALUES (?, ?)', seq, terms);
}

function count(connection: Connection, word: string): number {
  return connection.get<{ doc: number }>('SELECT doc FROM keyword_terms WHERE term = ?', word)?.doc ?? 0;
}

function postings(connection: Connection, word: string): { seqs: number[]; times: number[] } {
  const sql = 'SELECT doc, count(*) AS times FROM keyword_instances WHERE term = ? GROUP BY doc ORDER BY doc';
  const rows = connection.all<{ doc: number; times: number }>(sql, word);
  return { seqs: rows.map(({ doc }) => doc), times: rows.map(({ times }) => times) };
}
