import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { Store } from '../../ports/store.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { deleteMemory } from '../removal/delete.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { updateMemory } from '../writing/update.js';
import { changeOf, countMemories, exportPage, getMemory, listChanges } from './reads.js';

const ACTIVE = { filter: NO_FILTER, includeDeleted: false };
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

describe('getMemory', () => {
  test('returns a deleted memory only if includeDeleted is set', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });
    await deleteMemory(deps, caller, memory.id);

    await expect(getMemory(deps, caller, memory.id, false)).rejects.toMatchObject({ status: 404 });

    expect(await getMemory(deps, caller, memory.id, true)).toMatchObject({ id: memory.id, content: 'x' });
  });
});

describe('exportPage', () => {
  test('sets hasMore only if more memories follow', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 4; n++) await ingest(deps, caller, { content: `memory ${n}` });

    const first = await exportPage(deps, caller, ACTIVE, { limit: 2 });
    const second = await exportPage(deps, caller, ACTIVE, { limit: 2, after: first.last });

    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    expect([...first.items, ...second.items].map(({ content }) => content)).toEqual([
      'memory 0',
      'memory 1',
      'memory 2',
      'memory 3',
    ]);
  });
});

describe('listChanges', () => {
  test('lists created, updated and deleted memories, each at its last change', async () => {
    const { deps, caller } = await testWorld();
    const created = await ingest(deps, caller, { content: 'created' });
    const updated = await ingest(deps, caller, { content: 'updated' });
    const deleted = await ingest(deps, caller, { content: 'deleted' });
    await updateMemory(deps, caller, updated.memory.id, { metadata: { a: 1 } });
    await deleteMemory(deps, caller, deleted.memory.id);

    const { items } = await listChanges(deps, caller, EVERYTHING, { since: 0, limit: 10 });

    expect(items.map((memory) => [memory.id, changeOf(memory)])).toEqual([
      [created.memory.id, 'created'],
      [updated.memory.id, 'updated'],
      [deleted.memory.id, 'deleted'],
    ]);
  });

  test('treats since as inclusive and the cursor as exclusive', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });
    const position = { at: memory.updatedAt, id: memory.id };

    const since = await listChanges(deps, caller, ACTIVE, { since: memory.updatedAt, limit: 10 });
    const after = await listChanges(deps, caller, ACTIVE, { since: memory.updatedAt, limit: 10, after: position });

    expect(since.items).toHaveLength(1);
    expect(after.items).toEqual([]);
  });

  test('misses no change while eight writers work', async () => {
    expect(await missedUnderWriters((deps) => deps)).toBe(0);
  });

  // A control: it shows that the test above can fail.
  test('would miss changes if they were dated by the arrival of their request', async () => {
    expect(await missedUnderWriters(withArrivalTimes)).toBeGreaterThan(0);
  });
});

const WRITERS = 8;
const CHANGES = 100;

const arrival = new AsyncLocalStorage<Microseconds>();

/** Counts changes that a polling reader misses. Each writer changes each of its memories once. */
async function missedUnderWriters(change: (deps: Deps) => Deps): Promise<number> {
  const { deps, caller } = await testWorld();
  const items = Array.from({ length: WRITERS * CHANGES }, (_, n) => ({ input: { content: `memory ${n}` } }));
  const made = await ingestBatch(
    { ...deps, limits: { ...deps.limits, batchItems: items.length } },
    caller,
    items,
    true,
  );
  const ids = made.flatMap((result) => ('written' in result ? [result.written.memory.id] : []));
  const { last } = await listChanges(deps, caller, ACTIVE, { since: 0, limit: ids.length });

  const seen = new Set<string>();
  let after = last;
  const read = async () => {
    const page = await listChanges(deps, caller, ACTIVE, { since: 0, limit: 7, after });
    for (const { id } of page.items) seen.add(id);
    after = page.last ?? after;
    return page.items.length;
  };

  const writing = change(deps);
  const write = async (writer: number) => {
    for (let n = 0; n < CHANGES; n++) {
      await arrival.run(Date.now() * 1_000, async () => {
        await turns((n * 7 + writer * 3) % 11);
        await updateMemory(writing, caller, ids[writer * CHANGES + n]!, { metadata: { changed: true } });
      });
    }
  };
  let busy = true;
  const all = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
    busy = false;
  });
  while (busy) {
    await read();
    await turns(1);
  }
  await all;
  while ((await read()) > 0);

  return ids.filter((id) => !seen.has(id)).length;
}

/** Waits `count` turns of the event loop, as a network would delay. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Returns a store that dates a write by the arrival of its request, as many services do. */
function withArrivalTimes(deps: Deps): Deps {
  const { store } = deps;
  const transact: Store['transact'] = (organizationId, work) => {
    const at = arrival.getStore() ?? 0;
    return store.transact(organizationId, (unit) => work(replaceMethods(unit, { tick: async () => at })));
  };
  return { ...deps, store: replaceMethods(store, { transact }) };
}

test('countMemories names the facets that have more than 100 values', async () => {
  const { deps, caller } = await testWorld();
  for (let n = 0; n < 101; n += 1) {
    await ingest(deps, caller, { content: `memory ${n}`, metadata: { project: n, ...(n < 100 && { kind: n }) } });
  }

  const { facets, truncated } = await countMemories(deps, caller, NO_FILTER, false);

  expect(truncated).toEqual(['project']);
  expect([facets.project.length, facets.kind.length]).toEqual([100, 100]);
});
