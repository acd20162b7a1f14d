import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../connection.js';
import { KeyedStatement } from './keyed-statement.js';

const ROWS = 700;

test('reads the rows of any number of keys, and prepares few statements', () => {
  const connection = new Connection(':memory:');
  onTestFinished(() => connection.close());
  connection.exec('CREATE TABLE numbers (key INTEGER PRIMARY KEY) STRICT');
  const every = Array.from({ length: ROWS }, (_, n) => n - ROWS / 2);
  for (const key of every) connection.run('INSERT INTO numbers VALUES (?)', key);
  const texts = new Set<string>();
  connection.observe((sql) => texts.add(sql));
  const statement = new KeyedStatement<{ key: number }>(
    (keys) => `SELECT n.key FROM ${keys} k CROSS JOIN numbers n ON n.key = k.column1`,
  );

  for (const count of [...Array(300).keys(), ROWS]) {
    const rows = statement.all(connection, [...every.slice(0, count), ROWS + 1]);

    expect(rows.map(({ key }) => key)).toEqual(every.slice(0, count));
  }

  expect(statement.all(connection, [])).toEqual([]);
  expect(texts.size).toBe(5);
});
