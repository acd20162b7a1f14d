import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SeededChoices } from '../../../../testing/fixtures/seeded-choices.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { Connection } from '../connection.js';
import { DatabaseFile } from './database-file.js';
import { Sweep, type SweepResult } from './sweep.js';

/** A word in every text that is deleted before the sweep. */
const MARK = 'zqxcontent';

test('a sweep removes all deleted content from the file and the log, and leaves the rest unchanged', () => {
  const world = openWorld(1);
  world.churn(2_000, `${MARK} `);
  world.deleteMarked();
  const before = world.rows();
  expect(world.found(MARK)).toBe(true);

  sweepAll(world, () => {});

  expect(world.found(MARK)).toBe(false);
  expect(world.rows()).toEqual(before);
  expect(world.fault()).toBe('ok');
});

test.each([1, 2, 3, 4, 5, 6])('a sweep also cleans pages that others write between its steps, in run %i', (seed) => {
  const world = openWorld(seed);
  world.churn(1_500, `${MARK} `);
  world.churn(500, 'kept ');
  world.deleteMarked();
  // This fills the writer's cache with pages that have unused bytes.
  world.rows();

  const steps = sweepAll(world, () => world.churn(40, 'later '));

  expect(steps.filter((step) => step === 'more').length).toBeGreaterThan(3);
  expect(world.found(MARK)).toBe(false);
  expect(world.fault()).toBe('ok');
});

test('a second sweep of a clean file writes nothing but its commits', () => {
  const world = openWorld(7);
  world.churn(500, `${MARK} `);
  world.deleteMarked();
  sweepAll(world, () => {});
  const first = readFileSync(world.path);

  sweepAll(world, () => {});

  const second = readFileSync(world.path);
  const changed = pagesOf(first).filter((page, number) => !page.equals(pagesOf(second)[number]!));
  // Only the page that the commits write to may change.
  expect(changed.length).toBeLessThanOrEqual(1);
});

test('a sweep waits while a reader needs an older state of the file, and then continues', () => {
  const world = openWorld(8);
  world.churn(300, `${MARK} `);
  const reader = new Connection(world.path, { readOnly: true });
  onTestFinished(() => reader.close());
  reader.exec('BEGIN');
  reader.get('SELECT count(*) FROM texts');
  world.deleteMarked();

  const whileReading = world.sweep.step(0);
  reader.exec('COMMIT');
  const steps = sweepAll(world, () => {});

  expect(whileReading).toBe('busy');
  expect(steps.at(-1)).toBe('done');
  expect(world.found(MARK)).toBe(false);
});

test('a sweep changes no page of a database that it cannot read', () => {
  const world = openWorld(9);
  world.churn(300, '');
  world.writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = readFileSync(world.path);
  // The header claims more cells than fit on a page.
  bytes.writeUInt16BE(0xffff, 4_096 + 3);
  const damaged = join(quickFolder(), 'damaged.db');
  writeFileSync(damaged, bytes);

  expect(() => new DatabaseFile(openFile(damaged)).clean(2)).toThrow('the cells overlap their pointers');
  expect(pagesOf(readFileSync(damaged))[1]).toEqual(pagesOf(bytes)[1]);
});

function sweepAll({ sweep, writer }: Pick<World, 'sweep' | 'writer'>, between: () => void): SweepResult[] {
  const steps: SweepResult[] = [];
  do {
    if (steps.length > 0) between();
    steps.push(sweep.step(0));
  } while (steps.at(-1) !== 'done');
  // The writer must not write pages that it read before the sweep.
  between();
  writer.get('PRAGMA wal_checkpoint(TRUNCATE)');
  return steps;
}

const PAGE_BYTES = 4_096;

interface World {
  path: string;
  writer: Connection;
  sweep: Sweep;
  /** Inserts, updates and deletes at random. What it inserts begins with `prefix`. */
  churn(operations: number, prefix: string): void;
  deleteMarked(): void;
  rows(): unknown[];
  found(text: string): boolean;
  /** Returns the result of the engine's own check. */
  fault(): string | undefined;
}

/** Creates a database in a new folder, with small and large rows and indexes of each kind. */
function openWorld(seed: number): World {
  const path = join(quickFolder(), 'test.db');
  const writer = connect(path);
  writer.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE probes (key INTEGER PRIMARY KEY, written_at INTEGER NOT NULL);
    CREATE TABLE texts (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE INDEX texts_by_text ON texts (text, number);
    CREATE TABLE names (number INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (name, number)) WITHOUT ROWID;
  `);
  const choices = new SeededChoices(seed);
  const insert = (prefix: string) => {
    const length = choices.weighted({ 20: 8, 300: 4, 3000: 2, 20000: 1 });
    const [number, text] = [
      choices.below(1_000_000),
      prefix + `${choices.below(1_000)} `.repeat(choices.below(+length) / 4),
    ];
    writer.run('INSERT INTO texts (number, text) VALUES (?, ?)', number, text);
    writer.run('INSERT OR IGNORE INTO names (number, name) VALUES (?, ?)', number, text.slice(0, 200));
  };
  const change = (sql: string) => {
    const { last } = writer.get<{ last: number | null }>('SELECT max(id) AS last FROM texts') ?? { last: 0 };
    writer.run(sql, choices.below(last ?? 1) + 1);
  };
  return {
    path,
    writer,
    sweep: new Sweep(connect(path), path, openFile(path)),
    churn: (operations, prefix) => {
      for (let done = 0; done < operations; done += 20) {
        writer.exec('BEGIN IMMEDIATE');
        for (let operation = 0; operation < 20; operation += 1) {
          const next = choices.weighted({ insert: 8, change: 1, remove: 1 });
          if (next === 'insert') insert(prefix);
          else if (next === 'remove') change('DELETE FROM texts WHERE id = ?');
          else change("UPDATE texts SET text = text || ' and more' WHERE id = ?");
        }
        writer.exec('COMMIT');
      }
    },
    deleteMarked: () => {
      writer.run('DELETE FROM texts WHERE text GLOB ?', `${MARK}*`);
      writer.run('DELETE FROM names WHERE name GLOB ?', `${MARK}*`);
    },
    rows: () => [
      ...writer.all('SELECT * FROM texts ORDER BY id'),
      ...writer.all('SELECT text, number FROM texts ORDER BY text, number'),
      ...writer.all('SELECT * FROM names ORDER BY name, number'),
    ],
    found: (text) => [path, `${path}-wal`].some((name) => existsSync(name) && readFileSync(name).includes(text)),
    fault: () => writer.get<{ integrity_check: string }>('PRAGMA integrity_check')?.integrity_check,
  };
}

function connect(path: string): Connection {
  const connection = new Connection(path);
  onTestFinished(() => connection.close());
  connection.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL');
  return connection;
}

/** Closed after the connections, since closing it releases their locks. */
function openFile(path: string): number {
  const file = openSync(path, 'r+');
  onTestFinished(() => closeSync(file));
  return file;
}

function pagesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / PAGE_BYTES }, (_, page) =>
    bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES),
  );
}
