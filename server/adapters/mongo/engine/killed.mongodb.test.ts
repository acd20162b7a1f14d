import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { anOrganization, DIMENSIONS, store } from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { builtModule } from '../../../testing/processes/server-process.js';
import { type MongoStore, openMongoStore } from '../store.js';

/** Time that exceeds how long a deployment keeps the transaction of a lost process. */
const LIFETIME_MS = 90_000;
const ALL = { filter: NO_FILTER, includeDeleted: true, order: 'oldest', limit: 9 } as const;
const databases = new MongoDatabases(DIMENSIONS);

test('a process killed during a unit stores nothing, and blocks writes of its organization for a while, but not reads', async () => {
  const uri = await databases.acquire();
  const tested = await open(uri);
  const organizationId = await anOrganization(tested);
  const other = await anOrganization(tested);

  await killedInUnit(uri, organizationId);

  expect(await tested.memories.list(organizationId, ALL)).toEqual([]);
  await store(tested, other, { content: 'of another organization' });
  await store(tested, organizationId, { content: 'there' });
  const listed = await tested.memories.list(organizationId, ALL);
  expect(listed.map(({ content }) => content)).toEqual(['there']);
});

async function open(uri: string): Promise<MongoStore> {
  const now = () => Date.now() * 1_000;
  const opened = await openMongoStore({ uri, dimensions: DIMENSIONS, now, deadlineMs: LIFETIME_MS });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** Runs a process that writes in a unit of work without ending it, and kills the process. */
async function killedInUnit(uri: string, organizationId: string): Promise<void> {
  const module = (path: string) => JSON.stringify(pathToFileURL(builtModule(path)).href);
  const script = `
    import { openMongoStore } from ${module('adapters/mongo/store.js')};
    import { insertInto } from ${module('testing/fixtures/memories.js')};
    const [uri, organizationId] = process.argv.slice(1);
    const store = await openMongoStore({ uri, dimensions: ${DIMENSIONS}, now: () => Date.now() * 1_000 });
    await store.transact(organizationId, async (unit) => {
      await insertInto(unit, { content: 'never there' });
      if (await unit.anySubjectKey()) throw new Error('what was read has no subject');
      process.stdout.write('written');
      await new Promise(() => setInterval(() => {}, 1_000));
    });`;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, uri, organizationId], {
    stdio: [...stdio],
  });
  const ended = once(child, 'exit');
  try {
    const written = child.stdout ? once(child.stdout, 'data') : ended;
    await Promise.race([written, ended]);
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
