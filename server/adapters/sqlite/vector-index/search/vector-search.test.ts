import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS } from '../../../../domain/fairness/bounds.js';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import type { Store } from '../../../../ports/store.js';
import { MemoryModel } from '../../../../testing/adapter-suites/model/memory-model.js';
import { compareAnswer } from '../../../../testing/embedded/answer.js';
import { TestThreads } from '../../../../testing/embedded/test-threads.js';
import { changeSomething, copyOf, someQuestion, type World } from '../../../../testing/embedded/world.js';
import { anOrganization, atCosine, change, NORTH, softDelete, store } from '../../../../testing/fixtures/memories.js';
import { SeededChoices } from '../../../../testing/fixtures/seeded-choices.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { openSqliteStore, type SqliteStoreOptions } from '../../store.js';
import { ScanThreads } from '../scan/threads/scan-threads.js';

const SEED = Number(process.env.INDEX_HISTORY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const EVERYTHING = { vector: NORTH, limit: 100, filter: NO_FILTER, includeDeleted: false };

describe('a search that waits for threads', () => {
  test('returns the state at its end, for any query and any changes since it began', {
    timeout: 300_000,
  }, async () => {
    const { opened, threads } = await open();
    const choices = new SeededChoices(SEED);
    const world: World = { id: await anOrganization(opened), model: new MemoryModel() };
    for (let n = 0; n < 20; n += 1) await changeWorld(opened, world, choices);

    for (let round = 1; round <= 300; round += 1) {
      const query = someQuestion(world, choices, 1_700_000_000_000_000);
      let expected = copyOf(world).model;
      const found = await threads.during(
        () => opened.memories.nearest(world.id, query),
        async (isUnderWay) => {
          await changeWorld(opened, world, choices);
          if (isUnderWay) expected = world.model;
        },
      );
      try {
        compareAnswer(found, expected, query);
      } catch (cause) {
        throw new Error(`INDEX_HISTORY_SEED=${SEED}, round ${round}: ${String(cause)}`, { cause });
      }
    }
  });

  test('finds memories that became similar, or began to match, meanwhile', async () => {
    const { opened, threads } = await open();
    const organizationId = await anOrganization(opened);
    const wanted = { metadata: { kind: 'wanted' } };
    const far = Array.from({ length: 400 }, (_, n) => ({ embedding: atCosine(0.5 - n / 1_000), ...wanted }));
    const [first, second] = await store(opened, organizationId, ...far.slice(0, 1), { embedding: NORTH }, ...far);
    const filter = { metadata: [{ key: 'kind', anyOf: ['wanted'] }] };
    const ask = () => opened.memories.nearest(organizationId, { ...EVERYTHING, filter, limit: 1 });

    const similar = await threads.during(ask, () =>
      change(opened, first!, { content: 'as similar as can be' }, atCosine(0.99)),
    );
    const matching = await threads.during(ask, () => change(opened, second!, wanted));

    expect(similar.map(({ memory }) => memory.content)).toEqual(['as similar as can be']);
    expect(matching.map(({ memory }) => memory.id)).toEqual([second!.id]);
  });

  test('does not find a memory that was deleted meanwhile, but the next best one', async () => {
    const { opened, threads } = await open();
    const organizationId = await anOrganization(opened);
    const given = Array.from({ length: 300 }, (_, n) => ({ embedding: atCosine(0.9 - n / 1_000) }));
    const memories = await store(opened, organizationId, ...given);

    const found = await threads.during(
      () => opened.memories.nearest(organizationId, { ...EVERYTHING, limit: 3 }),
      () => Promise.all(memories.slice(0, 60).map((memory) => softDelete(opened, memory))),
    );

    expect(found.map(({ memory }) => memory.id)).toEqual(memories.slice(60, 63).map(({ id }) => id));
  });

  test('uses the vectors of the new embedder if the embedder changes meanwhile', async () => {
    const { opened, threads } = await open();
    const organizationId = await anOrganization(opened);
    const fingerprint = 'other|axes|8';
    await store(opened, organizationId, {}, {}, { content: 'the only one', fingerprint });

    const found = await threads.during(
      () => opened.memories.nearest(organizationId, EVERYTHING),
      () =>
        opened.transact(organizationId, async (unit) => {
          await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: fingerprint });
        }),
    );

    expect(found.map(({ memory }) => memory.content)).toEqual(['the only one']);
  });

  test('keeps its index from being evicted', async () => {
    const { opened, threads } = await open({ indexBytes: 1 });
    const [one, other] = [await anOrganization(opened), await anOrganization(opened)];
    await store(opened, one, {}, {});
    await store(opened, other, {});

    let asking: Promise<unknown> | undefined;
    const found = await threads.during(
      () => opened.memories.nearest(one, EVERYTHING),
      async () => {
        asking = opened.memories.nearest(other, EVERYTHING);
        await vi.waitFor(() => expect(opened.indexUse().organizations).toBe(2), { timeout: 60_000 });
        await store(opened, one, {});
      },
    );
    await asking;

    expect(found).toHaveLength(3);
    expect(opened.indexUse().organizations).toBe(1);
  });
});

describe('the threads', () => {
  test('are shared by organizations: waiting searches delay no other organization, and stop waiting when aborted', async () => {
    const { opened, threads } = await open();
    const [one, other] = [await anOrganization(opened), await anOrganization(opened)];
    for (const id of [one, other]) await store(opened, id, {});
    const scans = () => opened.sharedResources.find(({ name }) => name === 'vectorScans')?.use;
    const { tenant } = BOUNDS.vectorScans.shares;
    const use = async (expected: object) =>
      vi.waitFor(() => expect(scans()).toMatchObject(expected), { timeout: 60_000 });
    const gone = new Error('the caller left');
    const callers = Array.from({ length: 4 }, () => new AbortController());

    let others: Promise<unknown> = Promise.resolve();
    const first = await threads.during(
      () => opened.memories.nearest(one, EVERYTHING),
      async () => {
        const more = Array.from({ length: tenant - 1 }, () => opened.memories.nearest(one, EVERYTHING));
        await use({ inUse: tenant, waiting: 0 });
        const abandoned = callers.map(({ signal }) => opened.memories.nearest(one, EVERYTHING, signal));
        await use({ inUse: tenant, waiting: callers.length });
        const bystander = opened.memories.nearest(other, EVERYTHING);
        await use({ inUse: tenant + 1, waiting: callers.length });
        for (const caller of callers) caller.abort(gone);
        expect(await Promise.allSettled(abandoned)).toEqual(
          Array(callers.length).fill({ status: 'rejected', reason: gone }),
        );
        others = Promise.all([...more, bystander]);
      },
    );
    await others;

    expect(first).toHaveLength(1);
    expect(scans()).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });
});

describe('threads that end', () => {
  test('while a search waits for them do not change its result', async () => {
    const { opened, threads } = await open();
    const organizationId = await anOrganization(opened);
    await store(opened, organizationId, {}, {}, {});

    const found = await threads.during(
      () => opened.memories.nearest(organizationId, EVERYTHING),
      () => threads.kill(),
    );

    expect(found).toHaveLength(3);
    expect(threads.lost.length).toBeGreaterThan(0);
    await store(opened, organizationId, {});
    expect(await opened.memories.nearest(organizationId, EVERYTHING)).toHaveLength(4);
  });

  test('at their start are reported, and the store continues without them', async () => {
    const lost: unknown[] = [];
    const start = () => new Worker('throw new Error("no memory left")', { eval: true });
    const scanThreads = new ScanThreads({ count: 2, localRows: 3, start, onLost: (error) => void lost.push(error) });
    const { opened } = await open({ scanThreads });
    const organizationId = await anOrganization(opened);
    await store(opened, organizationId, {}, {}, {}, {}, {});

    expect(await opened.memories.nearest(organizationId, EVERYTHING)).toHaveLength(5);

    expect(lost[0]).toMatchObject({ cause: { message: 'no memory left' } });
  });

  test('are ended by the store only if it does not share them', async () => {
    const end = vi.spyOn(ScanThreads.prototype, Symbol.asyncDispose);
    onTestFinished(() => end.mockRestore());
    const { opened } = await open({ scanThreads: undefined });
    const { opened: sharing } = await open();

    await opened[Symbol.asyncDispose]();
    await sharing[Symbol.asyncDispose]();

    expect(end).toHaveBeenCalledTimes(1);
  });
});

describe('a store of small organizations', () => {
  test('starts no thread', async () => {
    const threads = new TestThreads(10);
    const { opened } = await open({ scanThreads: threads.threads });
    const organizationId = await anOrganization(opened);
    await store(opened, organizationId, ...Array.from({ length: 10 }, () => ({})));

    await opened.memories.nearest(organizationId, EVERYTHING);
    const before = threads.started;
    await store(opened, organizationId, {});

    expect([before, threads.started]).toEqual([0, 2]);
    await threads[Symbol.asyncDispose]();
  });
});

async function open(options: Partial<SqliteStoreOptions> = {}) {
  const dataDir = quickFolder();
  const threads = new TestThreads();
  onTestFinished(() => threads[Symbol.asyncDispose]());
  // An index that the main thread builds hands its rows to the threads at once.
  const built = { indexFileRows: 1, smallIndexRows: 1_000 };
  const opened = await openSqliteStore({ dataDir, ...built, scanThreads: threads.threads, ...options });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, threads };
}

/** Makes some changes in one unit, in the store and in the model. */
async function changeWorld(opened: Store, world: World, choices: SeededChoices): Promise<void> {
  await opened.transact(world.id, async (unit) => {
    for (let n = 1 + choices.below(4); n > 0; n -= 1) await changeSomething(unit, world, choices);
  });
}
