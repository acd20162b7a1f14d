import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MemoryClient } from '@memory-service/sdk';
import { exportAll, importAll } from '@memory-service/sdk/archive';
import { expect, onTestFinished, test } from 'vitest';
import { SeededChoices } from '../../testing/fixtures/seeded-choices.js';
import { killCount } from '../../testing/processes/kill-count.js';
import { builtPackage, ServerProcess } from '../../testing/processes/server-process.js';

const KILLS = killCount(4);
const MEMORIES = 120;
const BATCH = 8;
/** The maximum number of requests before a kill. */
const MAX_REQUESTS = 6;
const MAX_DELAY_MS = 12;
/** Long enough for a busy machine; fails the test if it hangs. */
const TIMEOUT_MS = 120_000 + KILLS * 20_000;
const UNLIMITED = {
  SERVICE_RATE_LIMIT_INGEST: '1000000',
  SERVICE_RATE_LIMIT_SEARCH: '1000000',
  SERVICE_RATE_LIMIT_ADMIN: '1000000',
};

test('an import that kills interrupt contains whole requests, and is complete after another run', {
  timeout: TIMEOUT_MS,
}, async () => {
  const choices = new SeededChoices(1);
  const archive = await anArchive();
  const records = archive.length - 1;
  let dataDir = await folder();
  const halves: number[] = [];
  let ended = 0;

  for (let kills = 0; kills < KILLS; ) {
    const server = await start(dataDir);
    const stored = await countRecords(clientOf(server));
    if (stored % BATCH > 0 && stored < records) halves.push(stored);
    const doomed = killAfterWrites(server, choices, stored / BATCH);
    const isWhole = await importAll(doomed.client, archive, { batchItems: BATCH }).then(
      () => true,
      () => false,
    );
    await doomed.stop();
    kills += 1;
    if (!isWhole) continue;
    ended += 1;
    await expectSame(dataDir, archive);
    dataDir = await folder();
  }
  await using server = await start(dataDir);
  const imported = await importAll(clientOf(server), archive, { batchItems: BATCH });
  await server.stop('SIGTERM');

  expect(halves).toEqual([]);
  expect(imported.failures).toEqual([]);
  expect(imported.created + imported.present).toBe(MEMORIES);
  expect(ended).toBeLessThan(KILLS);
  await expectSame(dataDir, archive);
});

test('purges that kills interrupt have removed each memory with its versions, or nothing of it', {
  timeout: TIMEOUT_MS,
}, async () => {
  const choices = new SeededChoices(2);
  const archive = await anArchive();
  let dataDir = await folder();
  let [left, acknowledged]: [string[], string[]] = [[], []];

  for (let kills = 0; kills < KILLS; kills += 1) {
    if (left.length === 0) {
      dataDir = await folder();
      left = await fillWithDeleted(dataDir, archive);
      acknowledged = [];
    }
    const server = await start(dataDir);
    const doomed = killAfterWrites(server, choices, 0);
    try {
      for (const id of left) {
        await doomed.client.purge(id);
        acknowledged.push(id);
      }
    } catch {
      // The kill ended the connection.
    }
    await doomed.stop();
    left = await expectWholePurges(dataDir, archive, acknowledged);
  }
  await using server = await start(dataDir);
  for (const id of left) await clientOf(server).purge(id);
  await server.stop('SIGTERM');

  expect(await expectWholePurges(dataDir, archive, left)).toEqual([]);
});

/** Returns an archive of memories with a version each, every third of them deleted. */
async function anArchive(): Promise<string[]> {
  await using server = await start(await folder());
  const client = clientOf(server);
  for (let n = 0; n < MEMORIES; n += 1) {
    const { id } = await client.ingest({ content: `memory ${n} as it was`, metadata: { n } });
    await client.update(id, { content: `memory ${n} as it is` });
    if (n % 3 === 0) await client.delete(id);
  }
  const lines: string[] = [];
  for await (const line of exportAll(client)) lines.push(line);
  return lines;
}

/** Returns a client whose server is killed soon after some of its writes, and a promise that resolves then. */
function killAfterWrites(
  server: ServerProcess,
  choices: SeededChoices,
  written: number,
): { client: MemoryClient; stop(): Promise<unknown> } {
  let left = Math.floor(written) + 1 + choices.below(MAX_REQUESTS);
  const afterMs = choices.below(MAX_DELAY_MS);
  let killing: Promise<unknown> | undefined;
  const counting: typeof fetch = (input, init) => {
    left -= 1;
    if (left === 0) killing = delay(afterMs).then(() => server.stop('SIGKILL'));
    return fetch(input, init);
  };
  const client = new MemoryClient({ ...server.credentials, fetch: counting, maxRetries: 0 });
  return { client, stop: () => killing ?? server.stop('SIGKILL') };
}

async function countRecords(client: MemoryClient): Promise<number> {
  const { total } = (await client.stats({ includeDeleted: true })).meta;
  let versions = 0;
  for await (const _ of client.versions.export()) versions += 1;
  return total + versions;
}

async function expectSame(dataDir: string, archive: readonly string[]): Promise<void> {
  await using server = await start(dataDir);
  const lines: string[] = [];
  for await (const line of exportAll(clientOf(server))) lines.push(line);
  await server.stop('SIGTERM');
  expect(lines.slice(1)).toEqual(archive.slice(1));
}

/** @returns the ids of the deleted memories */
async function fillWithDeleted(dataDir: string, archive: readonly string[]): Promise<string[]> {
  await using server = await start(dataDir);
  const client = clientOf(server);
  await importAll(client, archive);
  const deleted: string[] = [];
  for await (const { id, deletedAt } of client.export({ includeDeleted: true })) if (deletedAt) deleted.push(id);
  await server.stop('SIGTERM');
  return deleted;
}

/** @returns the ids of the deleted memories that are left */
async function expectWholePurges(dataDir: string, archive: readonly string[], gone: readonly string[]) {
  await using server = await start(dataDir);
  const client = clientOf(server);
  const held = new Map<string, boolean>();
  for await (const { id, deletedAt } of client.export({ includeDeleted: true })) held.set(id, deletedAt !== undefined);
  const versions: string[] = [];
  for await (const { memoryId } of client.versions.export()) versions.push(memoryId);
  const tombstones: string[] = [];
  for await (const change of client.changes({ since: '2020-01-01T00:00:00Z', includeDeleted: true })) {
    if (change.change === 'deleted' && change.purgedAt !== undefined) tombstones.push(change.id);
  }
  await server.stop('SIGTERM');

  const all = archive.slice(1).flatMap((line) => (JSON.parse(line) as { id?: string }).id ?? []);
  expect(versions.toSorted()).toEqual([...held.keys()].toSorted());
  expect([...held.keys(), ...tombstones].toSorted()).toEqual(all.toSorted());
  expect(gone.filter((id) => held.has(id))).toEqual([]);
  return [...held].flatMap(([id, isDeleted]) => (isDeleted ? [id] : []));
}

function start(dataDir: string): Promise<ServerProcess> {
  return ServerProcess.start(builtPackage('server'), dataDir, UNLIMITED);
}

function clientOf({ credentials }: ServerProcess): MemoryClient {
  return new MemoryClient(credentials);
}

async function folder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-import-purge-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}
