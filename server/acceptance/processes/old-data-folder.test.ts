import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SCHEMA_VERSION } from '../../adapters/sqlite/engine/migrate.js';
import { readConfig } from '../../config/config.js';
import { startService } from '../../service.js';
import { checkStore } from '../../store-files.js';
import { HttpClient } from '../../testing/app/http-client.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';

const FOLDERS = fileURLToPath(new URL('../../testing/fixtures/old-data-folders', import.meta.url));
const COMPRESSED = '.br';
/** Place of the schema version in the head of a SQLite file. */
const USER_VERSION_OFFSET = 60;

const folders = readdirSync(FOLDERS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Copies an old folder, and returns the copy. */
function unpack(name: string): string {
  const dataDir = quickFolder();
  for (const file of readdirSync(join(FOLDERS, name))) {
    const [from, to] = [join(FOLDERS, name, file), join(dataDir, file)];
    if (file.endsWith(COMPRESSED))
      writeFileSync(to.slice(0, -COMPRESSED.length), brotliDecompressSync(readFileSync(from)));
    else copyFileSync(from, to);
  }
  return dataDir;
}

function schemaVersion(dataDir: string): number {
  return readFileSync(join(dataDir, 'memory.db')).readUInt32BE(USER_VERSION_OFFSET);
}

function configOf(dataDir: string) {
  return readConfig({ PORT: '0', SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' });
}

/** Starts the present service on a folder. Its token is that of the folder's first start. */
async function open(dataDir: string) {
  const { token } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as { token: string };
  const failures: unknown[] = [];
  const service = await startService(configOf(dataDir), (error) => failures.push(error));
  const client = new HttpClient(Number(new URL(service.url).port));
  onTestFinished(() => client.close());
  const send = (method: string, path: string, body?: object) =>
    client.send(method, path, body && JSON.stringify(body), {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    });
  const search = async (input: object) => {
    const { body } = await send('POST', '/api/memories/search', input);
    return (body.results as { content: string }[]).map(({ content }) => content);
  };
  return { service, failures, send, search };
}

describe.each(folders)('the data folder %s of an early build', (name) => {
  test('has the schema version of its name', () => {
    expect(`schema-${schemaVersion(unpack(name))}`).toBe(name);
  });

  test('is migrated, and its memories are found by meaning, words and filters', async () => {
    const dataDir = unpack(name);
    const { service, failures, send, search } = await open(dataDir);
    await using _ = service;

    expect((await send('GET', '/api/memories/stats')).body).toMatchObject({ meta: { total: 19 } });
    expect(await search({ query: 'When are the invoices sent?', limit: 5 })).toHaveLength(5);
    expect(await search({ query: 'invoices Tuesdays', mode: 'keyword', limit: 1 })).toEqual([
      'Invoices are sent on Tuesdays.',
    ]);
    expect(await search({ query: 'days', filter: { subjectKey: 'user-2' } })).toEqual([
      'Backups are verified on Tuesdays.',
    ]);
    expect(await search({ query: 'days', filter: { kind: 'plan', project: 'ops' }, limit: 50 })).toHaveLength(5);
    expect(await search({ query: 'days', filter: { where: { day: { gte: 5 } } }, limit: 50 })).toHaveLength(3);
    expect(failures).toEqual([]);
  });

  test('keeps its keys, contents and deleted memories', async () => {
    const { service, send } = await open(unpack(name));
    await using _ = service;

    const replay = await send('POST', '/api/memories', { content: 'Backups are verified on Fridays.' });
    const keyed = await send('PUT', '/api/memories', {
      content: 'The staging cluster is rebuilt every morning.',
      externalKey: 'key-1',
      metadata: { source: 'handbook', project: 'ops' },
    });
    const { body } = await send('GET', '/api/memories/changes?since=2020-01-01&includeDeleted=true&limit=100');
    const changes = body.changes as { id: string; deletedAt?: string }[];
    const deleted = changes.filter(({ deletedAt }) => deletedAt !== undefined);
    const restored = await send('POST', `/api/memories/${deleted[0]?.id}/restore`);

    expect(replay).toMatchObject({ status: 200, body: { outcome: 'deduplicated' } });
    expect(keyed).toMatchObject({ status: 200, body: { outcome: 'updated', externalKey: 'key-1' } });
    expect(deleted).toHaveLength(1);
    expect(restored).toMatchObject({ status: 200, body: { content: 'The release train leaves on Fridays.' } });
  });

  test('takes writes, which are there after another start, and is sound', async () => {
    const dataDir = unpack(name);
    {
      const { service, send } = await open(dataDir);
      await using _ = service;
      const made = await send('POST', '/api/memories', { content: 'The archive moves to another building in May.' });
      expect(made).toMatchObject({ status: 201, body: { outcome: 'created' } });
    }
    {
      const { service, search } = await open(dataDir);
      await using _ = service;
      expect(await search({ query: 'Where does the archive move?', limit: 1 })).toEqual([
        'The archive moves to another building in May.',
      ]);
    }

    expect(schemaVersion(dataDir)).toBe(SCHEMA_VERSION);
    const faults: string[] = [];
    for await (const { what, faults: found } of checkStore(configOf(dataDir))) {
      faults.push(...found.map((fault) => `${what}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});

test('the webhooks and audit events of schema version 8 are kept', async () => {
  const { service, send } = await open(unpack('schema-8'));
  await using _ = service;

  const [outbound, inbound, audit] = await Promise.all([
    send('GET', '/api/organization/outbound-webhooks'),
    send('GET', '/api/organization/inbound-webhooks'),
    send('GET', '/api/organization/audit-events?limit=100'),
  ]);

  expect(outbound.text).toContain('https://hooks.example.com/memories');
  expect(inbound.text).toContain('acme/api');
  expect(audit.text).toContain('memory.delete');
});
