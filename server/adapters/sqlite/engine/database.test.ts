import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chunkIdentity } from '../../../domain/documents/chunk.js';
import { facetsOf } from '../../../domain/filter/facet.js';
import { valuesOf } from '../../../domain/filter/metadata-values.js';
import type { Metadata } from '../../../domain/memory/memory.js';
import { VECTOR_BYTES } from '../../../domain/memory/stored-bytes.js';
import { StoreOpenError } from '../../../ports/store-errors.js';
import { DELIVERY_BODY } from '../outbound/outbound-rows.js';
import { Connection } from './connection.js';
import { openDatabase } from './database.js';
import { migrate } from './migrate.js';
import { init } from './migrations/001-init.js';
import { jobs } from './migrations/003-jobs.js';
import { subscriptions } from './migrations/005-subscriptions.js';
import { outbound } from './migrations/008-outbound.js';
import { words } from './migrations/009-words.js';
import { billingEventTimes } from './migrations/011-billing-event-times.js';
import { folds } from './migrations/012-folds.js';
import { sharedDeliveries } from './migrations/013-shared-deliveries.js';
import { storedBytes } from './migrations/016-stored-bytes.js';
import { chunks } from './migrations/017-chunks.js';
import { metadataValues } from './migrations/029-metadata-values.js';

describe('openDatabase', () => {
  test('makes commits durable and enforces constraints', () => {
    const { writer } = open(folder());

    expect(writer.get('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'wal' });
    expect(writer.get('PRAGMA synchronous')).toMatchObject({ synchronous: 2 });
    expect(writer.get('PRAGMA foreign_keys')).toMatchObject({ foreign_keys: 1 });
    expect(writer.get('PRAGMA trusted_schema')).toMatchObject({ trusted_schema: 0 });
  });

  test('does so for an existing database too', () => {
    const dataDir = folder();
    openDatabase(dataDir, () => {}).close();

    const { writer } = open(dataDir);

    expect(writer.get('PRAGMA synchronous')).toMatchObject({ synchronous: 2 });
  });

  test('has a reader that cannot write and sees only committed state', () => {
    const { writer, reader } = open(folder());
    const count = () => reader.get<{ count: number }>('SELECT count(*) AS count FROM probes')?.count;
    const insert = 'INSERT INTO probes (key, written_at) VALUES (1, 1)';

    writer.exec('BEGIN IMMEDIATE');
    writer.run(insert);
    expect(count()).toBe(0);
    writer.exec('COMMIT');

    expect(count()).toBe(1);
    expect(() => reader.run(insert)).toThrow();
  });

  test('rejects a second process, and says which folder is in use and what to do', () => {
    const dataDir = folder();
    const first = openDatabase(dataDir, () => {});

    expect(() => openDatabase(dataDir, () => {})).toThrow(StoreOpenError);
    expect(() => openDatabase(dataDir, () => {})).toThrow(dataDir);
    expect(() => openDatabase(dataDir, () => {})).toThrow(/stop it/);
    first.close();
    expect(() => open(dataDir)).not.toThrow();
  });

  test('denies other users access to its folder and files', () => {
    const dataDir = join(folder(), 'inner');

    const { writer } = open(dataDir);
    writer.exec('CREATE TABLE t (x)');

    for (const path of ['.', 'memory.db', 'memory.db-wal']) {
      expect(statSync(join(dataDir, path)).mode & 0o077).toBe(0);
    }
  });

  test('rejects a database of a newer release, and unlocks the folder', () => {
    const dataDir = folder();
    const { writer, close } = openDatabase(dataDir, () => {});
    writer.exec('PRAGMA user_version = 1000');
    close();

    expect(() => openDatabase(dataDir, () => {})).toThrow(/newer/);
    expect(() => openDatabase(dataDir, () => {})).toThrow(/newer/);
  });

  test('rejects a file that is not a database', () => {
    const dataDir = folder();
    const file = openSync(join(dataDir, 'memory.db'), 'w');
    writeSync(file, 'something else '.repeat(1_000));
    closeSync(file);

    expect(() => openDatabase(dataDir, () => {})).toThrow(StoreOpenError);
  });
});

describe('migrate', () => {
  const steps = ['CREATE TABLE a (x)', 'CREATE TABLE b (x)', 'CREATE TABLE c (x); SELECT no_such_function()'];

  test('applies each missing migration once', () => {
    const connection = new Connection(':memory:');

    migrate(connection, steps.slice(0, 1));
    migrate(connection, steps.slice(0, 2));
    migrate(connection, steps.slice(0, 2));

    expect(tables(connection)).toEqual(['a', 'b']);
    expect(connection.get('PRAGMA user_version')).toMatchObject({ user_version: 2 });
  });

  test('rolls back a step that failed, and keeps the steps before it', () => {
    const connection = new Connection(':memory:');
    migrate(connection, steps.slice(0, 1));

    expect(() => migrate(connection, steps)).toThrow(/no_such_function/);

    expect(tables(connection)).toEqual(['a', 'b']);
    expect(connection.get('PRAGMA user_version')).toMatchObject({ user_version: 2 });
    expect(connection.isTransaction).toBe(false);
  });

  test('leaves a new database unchanged if a step fails', () => {
    const connection = new Connection(':memory:');

    expect(() => migrate(connection, steps)).toThrow(/no_such_function/);

    expect(tables(connection)).toEqual([]);
    expect(connection.get('PRAGMA user_version')).toMatchObject({ user_version: 0 });
    expect(connection.isTransaction).toBe(false);
  });

  test('records existing billing events as received now', () => {
    const connection = new Connection(':memory:');
    const clock = () => connection.get<{ now: number }>('SELECT unixepoch() * 1000000 AS now')?.now;
    migrate(connection, [init, subscriptions]);
    connection.exec("INSERT INTO organizations (key, id, name, created_at, settings) VALUES (1, 'o', 'o', 1, '{}')");
    connection.exec("INSERT INTO billing_events (org, id) VALUES (1, 'evt_1')");

    const from = clock();
    migrate(connection, [init, subscriptions, billingEventTimes]);

    const event = connection.get<{ at: number }>('SELECT taken_in_at AS at FROM billing_events');
    expect(event?.at).toBeGreaterThanOrEqual(from!);
    expect(event?.at).toBeLessThanOrEqual(clock()!);
  });

  test('gives existing chunks, and nothing else, their chunk identity', () => {
    const connection = new Connection(':memory:');
    const former = [init, words, folds];
    migrate(connection, former);
    connection.exec("INSERT INTO organizations (key, id, name, created_at, settings) VALUES (7, 'o', 'o', 1, '{}')");
    const chunk = { documentId: 'd', chunkIndex: 1, chunkTotal: 2 };
    const all = [
      chunk,
      { ...chunk, documentId: 'Ü "q"\\\n:1', other: { chunkIndex: 5 } },
      { ...chunk, documentId: 'x'.repeat(513) },
      { ...chunk, documentId: '😀'.repeat(512) },
      { ...chunk, documentId: 7 },
      { ...chunk, documentId: '' },
      { ...chunk, chunkIndex: 2 },
      { ...chunk, chunkIndex: '1' },
      { ...chunk, chunkIndex: 0.5 },
      { ...chunk, chunkTotal: 2 ** 53 },
      { chunkIndex: 1 },
      { kind: 'note' },
    ];
    for (const [n, metadata] of all.entries()) {
      const json = JSON.stringify(metadata);
      const row = `INSERT INTO memories (seq, org, id, created_at, updated_at, words, content_hash, words_hash, metadata, content)
        VALUES (?, 7, ?, 1, 1, 1, ?, 'w', ?, 'same')`;
      connection.run(row, n, String(n), String(n), json);
      for (const facet of facetsOf(metadata)) connection.run('INSERT INTO facets VALUES (7, ?, ?, ?)', n % 2, facet, n);
    }

    migrate(connection, [...former, chunks]);

    const named = connection.all<{ chunk: string }>('SELECT chunk FROM memories ORDER BY seq').map((row) => row.chunk);
    expect(named).toEqual(all.map((metadata) => chunkIdentity(metadata) ?? ''));
    expect(named.filter((name) => name !== '')).toHaveLength(3);
  });

  test('keeps the bodies of existing deliveries, gives their jobs a lane, and removes unused shared bodies', () => {
    const connection = new Connection(':memory:');
    migrate(connection, [init, jobs, outbound]);
    const columns = 'org, id, webhook_id, event, memory_id, status, attempts, created_at, body';
    const insert = (values: string) => connection.exec(`INSERT INTO outbound_deliveries ${values}`);
    connection.exec("INSERT INTO organizations (key, id, name, created_at, settings) VALUES (1, 'o', 'o', 1, '{}')");
    insert(`(${columns}) VALUES (1, 'old', 'w', 'memory.ingested', 'm', 'pending', 0, 1, 'its own')`);
    connection.exec(`INSERT INTO jobs (name, next_run_at, data) VALUES ('n', 1, '{"organizationId":"o"}')`);

    migrate(connection, [init, jobs, outbound, sharedDeliveries]);
    connection.exec("INSERT INTO outbound_payloads (key, org, body) VALUES (7, 1, 'shared')");
    for (const id of ['one', 'two']) {
      insert(`(${columns}, payload) VALUES (1, '${id}', 'w', 'memory.ingested', 'm', 'pending', 0, 1, '', 7)`);
    }
    const bodies = () =>
      connection.all<{ body: string }>(`SELECT ${DELIVERY_BODY} FROM outbound_deliveries ORDER BY key`);
    const payloads = () => connection.all('SELECT key FROM outbound_payloads').length;

    expect(bodies().map(({ body }) => body)).toEqual(['its own', 'shared', 'shared']);
    expect(connection.get('SELECT lane FROM jobs')).toEqual({ lane: 'o/' });
    connection.exec("DELETE FROM outbound_deliveries WHERE id = 'one'");
    expect(payloads()).toBe(1);
    connection.exec("DELETE FROM outbound_deliveries WHERE id = 'two'");
    expect(payloads()).toBe(0);
  });

  test('counts the bytes of the active memories that exist', () => {
    const connection = new Connection(':memory:');
    migrate(connection, [init]);
    const insert = (org: number, id: string, content: string, deletedAt: string) =>
      connection.exec(
        `INSERT INTO memories (org, id, created_at, updated_at, deleted_at, words, subject_key, scope_source,
           scope_project, content_hash, folded_hash, metadata, content)
         VALUES (${org}, '${id}', 1, 1, ${deletedAt}, 1, '', '', '', '${id}', '${id}', '{"a":"ü"}', '${content}')`,
      );
    for (const org of [1, 2]) {
      connection.exec(
        `INSERT INTO organizations (key, id, name, created_at, settings) VALUES (${org}, 'o${org}', 'o', 1, '{}')`,
      );
    }
    insert(1, 'one', 'größe 🐢', 'NULL');
    insert(1, 'two', 'x'.repeat(20_000), 'NULL');
    insert(1, 'gone', 'deleted', '5');

    migrate(connection, [init, storedBytes]);

    const counted = connection.all<{ bytes: number }>('SELECT bytes FROM organizations ORDER BY key');
    expect(counted.map(({ bytes }) => bytes)).toEqual([12 + 20_000 + 2 * (10 + VECTOR_BYTES), 0]);
  });

  test('adds the metadata values of the memories that exist', () => {
    const connection = new Connection(':memory:');
    migrate(connection, [init]);
    connection.exec("INSERT INTO organizations (key, id, name, created_at, settings) VALUES (1, 'o', 'o', 1, '{}')");
    const metadata: Metadata = { 'a"b': 0.1, '': 1, text: 'x'.repeat(2_000), ok: true, none: null, list: ['x'] };
    for (const deletedAt of [null, 5]) {
      connection.run(
        `INSERT INTO memories (org, id, created_at, updated_at, deleted_at, words, content_hash, folded_hash, metadata, content)
         VALUES (1, ?, 1, 1, ?, 1, 'x', 'x', ?, 'x')`,
        `m${deletedAt}`,
        deletedAt,
        JSON.stringify(metadata),
      );
    }

    migrate(connection, [init, metadataValues]);

    const rows = connection.all('SELECT live, key, value FROM metadata_values ORDER BY seq');
    const expected = [1, 0].flatMap((live) => valuesOf(metadata).map((value) => ({ live, ...value })));
    expect(new Set(rows.map((row) => ({ ...Object(row) })))).toEqual(new Set(expected));
  });

  test('does not change the schema on a second start', () => {
    const dataDir = folder();
    const schema = () => {
      const { writer, close } = openDatabase(dataDir, () => {});
      const rows = writer.all('SELECT name, sql FROM sqlite_schema ORDER BY name');
      close();
      return rows;
    };

    expect(schema()).toEqual(schema());
  });
});

function tables(connection: Connection): string[] {
  return connection
    .all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .map(({ name }) => name);
}

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'memory-database-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

function open(dataDir: string) {
  const database = openDatabase(dataDir, () => {});
  onTestFinished(() => database.close());
  return database;
}
