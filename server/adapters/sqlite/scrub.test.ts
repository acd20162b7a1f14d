import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { search } from '../../services/reading/search.js';
import { goOnErasing } from '../../services/upkeep/erase-subject.js';
import { ingestBatch } from '../../services/writing/batch.js';
import { ingest } from '../../services/writing/ingest.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { askForErasure, ERASED, MARKS, writeAboutSubject } from '../../testing/fixtures/erased-subject.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import type { SqliteStore } from './sqlite-store.js';
import { openSqliteStore } from './store.js';

/** Ends of words, since the index stores a word without the prefix that it shares with the word before it. */
const WORD_ENDS = ['qxcontent', 'bnmetadata', 'elda-quartz'];

const QUERY = { ...PLAIN_SEARCH, limit: 9 };

interface World {
  dataDir: string;
  deps: Deps & { store: SqliteStore };
  caller: Caller;
}

/** Opens services on a store whose folder the test can search. */
async function openWorld(): Promise<World> {
  const dataDir = quickFolder();
  const { deps } = await testWorld();
  const store = await openSqliteStore({ dataDir, now: deps.now, indexFileRows: 2 });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const own = { ...deps, store };
  return { dataDir, deps: own, caller: await anotherCaller(own) };
}

/** Returns the files of a folder that contain one of the marks, each with the mark. */
function found(dataDir: string, marks: readonly string[]): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dataDir, name)).isFile())
    .flatMap((name) => {
      const bytes = readFileSync(join(dataDir, name));
      return marks.filter((mark) => bytes.includes(mark)).map((mark) => `${name}: ${mark}`);
    });
}

/** Writes memories between those of the subject, so that rows and words move between pages. */
async function writeOthers({ deps, caller }: World): Promise<void> {
  for (let batch = 0; batch < 8; batch += 1) {
    const items = Array.from({ length: 50 }, (_, n) => ({
      input: { content: `word${batch}x${n} and others ${'of many '.repeat(n)}`, metadata: { kind: `k${n}`, batch } },
    }));
    await ingestBatch(deps, caller, items, true);
  }
}

async function erase({ deps, caller }: World): Promise<void> {
  const id = await askForErasure(deps, caller);
  while (await goOnErasing(deps, caller.organizationId, id));
}

test('an erasure leaves nothing of the subject in any file of the data folder', { timeout: 60_000 }, async () => {
  const world = await openWorld();
  const { dataDir, deps, caller } = world;
  await writeOthers(world);
  const written = await writeAboutSubject(deps, caller);
  await writeOthers(world);
  // Building the index reads the vectors, and saving it writes a file.
  await search(deps, caller, { ...QUERY, query: 'zqxcontent', mode: 'hybrid' });
  const before = found(dataDir, MARKS);

  await erase(world);

  expect(new Set(before.map((line) => line.split(': ')[1]))).toEqual(new Set(MARKS));
  expect(found(dataDir, [...MARKS, ...WORD_ENDS])).toEqual([]);
  expect(await deps.store.memories.findById(caller.organizationId, written.other)).toBeDefined();
  await deps.store[Symbol.asyncDispose]();
  expect(found(dataDir, [...MARKS, ...WORD_ENDS])).toEqual([]);
});

test('an erasure also removes words that were indexed long before, and searches still find all other memories', async () => {
  const world = await openWorld();
  const { dataDir, deps, caller } = world;
  await writeAboutSubject(deps, caller);
  await writeOthers(world);
  await deps.store.transact(caller.organizationId, async () => {});
  const find = async (query: string) =>
    (await search(deps, caller, { ...QUERY, query, mode: 'keyword', includeDeleted: true })).matches;
  const kept = await find('nobody');

  await erase(world);

  expect(found(dataDir, WORD_ENDS)).toEqual([]);
  expect(await find('zqxcontent')).toEqual([]);
  expect((await find('nobody')).map(({ memory }) => memory)).toEqual(kept.map(({ memory }) => memory));
  expect((await find('word7x3')).map(({ memory }) => memory.content)).toHaveLength(1);
});

test('an erasure removes the index file, which is saved again without the subject', async () => {
  const world = await openWorld();
  const { dataDir, deps, caller } = world;
  await writeAboutSubject(deps, caller);
  const query = { ...QUERY, query: 'nobody', mode: 'vector' } as const;
  await search(deps, caller, query);
  await deps.store[Symbol.asyncDispose]();
  const store = await openSqliteStore({ dataDir, now: deps.now, indexFileRows: 2 });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const again = { ...world, deps: { ...deps, store } };
  const file = join(dataDir, 'indexes', `${caller.organizationId}.vectors`);
  const isThere = existsSync(file);

  await erase(again);
  const isRemoved = !existsSync(file);
  const { matches: rest } = await search(again.deps, caller, query);
  await store[Symbol.asyncDispose]();

  expect([isThere, isRemoved, existsSync(file)]).toEqual([true, true, true]);
  expect(rest.map(({ memory }) => memory.subjectKey)).not.toContain(ERASED);
  expect(rest).toHaveLength(2);
});

test('writes take turns with the steps of a scrub', async () => {
  const world = await openWorld();
  const { deps, caller } = world;
  const { store } = deps;
  await writeOthers(world);
  await writeAboutSubject(deps, caller);

  let isScrubbed = false;
  const scrubbing = store.scrub(caller.organizationId).then(() => {
    isScrubbed = true;
  });
  const outcomes: string[] = [];
  while (!isScrubbed) outcomes.push((await ingest(deps, caller, { content: `meanwhile ${outcomes.length}` })).outcome);
  await scrubbing;

  // If a write waited for the whole scrub, it would be the only one.
  expect(outcomes.length).toBeGreaterThan(3);
  expect(new Set(outcomes)).toEqual(new Set(['created']));
});
