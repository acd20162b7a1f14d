import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS } from '../../../domain/fairness/bounds.js';
import { ShareExceededError } from '../../../domain/fairness/owner.js';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { termsOf } from '../../../domain/retrieval/keyword-terms.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import { anOrganization, change, softDelete, store } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { Organizations } from '../engine/organizations.js';
import { DatabaseThread } from '../engine/threads/database-thread.js';
import { workerFile } from '../engine/threads/worker-file.js';
import type { RelevantFound } from '../keywords/keyword-search.js';
import { openSqliteStore } from '../store.js';
import { answer, HeavyReads, type ReadAnswer, type ReadOrder } from './heavy-reads.js';
import { packedFound } from './packed-found.js';

const WORDS = ['aspen', 'birch', 'cedar', 'daisy', 'elder', 'fennel', 'ginger'];
const SCOPES: readonly ReadScope[] = [
  { filter: NO_FILTER, includeDeleted: false },
  { filter: NO_FILTER, includeDeleted: true },
  { filter: { ...NO_FILTER, metadata: [{ key: 'kind', anyOf: ['a', 'b'] }] }, includeDeleted: false },
];

describe('HeavyReads', () => {
  test('return the same in the thread as in the main thread', async () => {
    const { opened, organizationId, reads, org, backlog } = await openMany();

    for (const scope of SCOPES) {
      const query = { ...scope, facets: ['kind', 'serial'], valuesPerFacet: 5 };
      expect(await reads.stats(org, query)).toEqual(await opened.memories.stats(organizationId, query));
      for (const text of ['aspen', 'birch ginger', 'cedar daisy elder w17', 'unknown']) {
        const asked = { ...scope, text, limit: 20 };
        const { found } = await reads.relevant(org, asked, backlog);
        const { matches: expected } = await opened.memories.matching(organizationId, asked);
        expect(found.map(({ relevance }) => relevance)).toEqual(expected.map(({ relevance }) => relevance));
      }
    }
  });

  test('return the state that is committed when they begin', async () => {
    const { opened, organizationId, reads, org } = await openMany();
    const query = { ...SCOPES[0]!, facets: [], valuesPerFacet: 1 };
    const before = await reads.stats(org, query);

    await store(opened, organizationId, {});

    expect((await reads.stats(org, query)).total).toBe(before.total + 1);
  });
});

describe('reads that go to the thread', () => {
  const query = { ...SCOPES[0]!, facets: [], valuesPerFacet: 1 };

  test('take turns between organizations, even if one has many waiting reads', async () => {
    const { reads, org, other } = await openMany();
    const ended: string[] = [];
    const read = (key: number, name: string) => reads.stats(key, query).then(() => ended.push(name));

    await Promise.all([...['a1', 'a2', 'a3', 'a4'].map((name) => read(org, name)), read(other, 'b1')]);

    expect(ended).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    expect(reads.turns.use).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test('are rejected only for an organization whose share of the queue is full', async () => {
    const { reads, org, other } = await openMany();
    const { tenant } = BOUNDS.heavyReads.waitingShares;
    const accepted = Array.from({ length: 1 + tenant }, () => reads.stats(org, query));

    await expect(reads.stats(org, query)).rejects.toThrow(new ShareExceededError('heavyReads', 'tenant', tenant));
    await expect(reads.stats(other, query)).resolves.toBeDefined();

    await Promise.all(accepted);
    expect(reads.turns.use).toEqual({ inUse: 0, waiting: 0, refused: 1 });
  });
});

describe('a keyword query of a small organization', () => {
  test('goes to the thread only if it has many words', async () => {
    const { reader, org, backlog } = await openMany();
    const asked: ReadOrder[] = [];
    const ask = async (order: ReadOrder) => {
      asked.push(order);
      return packedFound(answer(reader, order, () => undefined) as RelevantFound);
    };
    const reads = new HeavyReads(reader, new Organizations(reader), { ask });
    const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');

    const few = await reads.relevant(org, { ...SCOPES[0]!, text: words(32), limit: 100 }, backlog);
    expect(asked).toEqual([]);

    const many = await reads.relevant(org, { ...SCOPES[0]!, text: words(33), limit: 100 }, backlog);
    expect(asked).toHaveLength(1);
    expect(many.found).toHaveLength(few.found.length + 1);
  });

  test('gives others turns while it reads many words that are not in the index yet', async () => {
    const { reader, thread, org } = await openMany();
    const reads = new HeavyReads(reader, new Organizations(reader), thread);
    const terms = Array.from({ length: 50_000 }, (_, n) => `w${n % 100}`);
    const backlog = Array.from({ length: 60 }, (_, n) => ({ org, seq: 1_000 + n, terms }));
    let turns = 0;
    const count = () => {
      turns += 1;
      if (turns < 1_000) setImmediate(count);
    };
    setImmediate(count);

    await reads.relevant(org, { ...SCOPES[0]!, text: 'aspen', limit: 9 }, backlog);

    expect(turns).toBeGreaterThan(0);
    turns = 1_000;
  });
});

describe('abandoned reads', () => {
  const query = { ...SCOPES[0]!, text: 'aspen birch cedar', limit: 9 };
  const gone = new Error('the caller left');

  test('leave the queue immediately, so that the next read runs next', async () => {
    const { reads, thread, org } = await openMany();
    const asked = vi.spyOn(thread, 'ask');
    const callers = Array.from({ length: 20 }, () => new AbortController());

    const abandoned = callers.map(({ signal }) => reads.relevant(org, query, [], signal));
    await vi.waitFor(() => expect(reads.turns.use).toMatchObject({ inUse: 1, waiting: 19 }));
    for (const caller of callers) caller.abort(gone);
    const ended = Promise.allSettled(abandoned);
    const waiting = reads.turns.use;
    const { found } = await reads.relevant(org, query, []);

    expect(waiting).toMatchObject({ waiting: 0 });
    expect(found).not.toEqual([]);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(await ended).toEqual(Array(20).fill({ status: 'rejected', reason: gone }));
    expect(reads.turns.use).toEqual({ inUse: 0, waiting: 0, refused: 0 });
  });

  test.each([
    ['a keyword search', { kind: 'relevant', query, backlog: [] }, 3],
    ['statistics', { kind: 'stats', query: { ...SCOPES[0]!, facets: ['kind', 'serial'], valuesPerFacet: 5 } }, 2],
  ] as const)('end between the words and keys of %s', async (_, order, parts) => {
    const { reader, org } = await openMany();
    let looks = 0;

    answer(reader, { ...order, org }, () => {
      looks += 1;
    });

    expect(looks).toBeGreaterThan(parts);
    const steps = Array.from({ length: looks }, (_each, step) => step);
    for (const last of steps) {
      let left = last;
      const assertWanted = () => {
        left -= 1;
        if (left < 0) throw gone;
      };
      expect(() => answer(reader, { ...order, org }, assertWanted)).toThrow(gone);
    }
  });
});

describe('matching', () => {
  test('omits a memory that was deleted while another thread ranked it', async () => {
    const { opened, organizationId } = await openStore();
    const [kept, gone] = await store(opened, organizationId, { content: 'aspen one' }, { content: 'aspen two' });
    afterRanking(() => softDelete(opened, gone!));

    const { matches: found } = await opened.memories.matching(organizationId, {
      ...SCOPES[0]!,
      text: 'aspen',
      limit: 9,
    });

    expect(found.map(({ memory }) => memory.id)).toEqual([kept!.id]);
  });

  test('omits a memory that stopped matching the filter while another thread ranked it', async () => {
    const { opened, organizationId } = await openStore();
    const metadata = { kind: 'a' };
    const [kept, gone] = await store(
      opened,
      organizationId,
      { content: 'aspen one', metadata },
      { content: 'aspen two', metadata },
    );
    afterRanking(() => change(opened, gone!, { metadata: { kind: 'z' } }));

    const { matches: found } = await opened.memories.matching(organizationId, {
      ...SCOPES[2]!,
      text: 'aspen',
      limit: 9,
    });

    expect(found.map(({ memory }) => memory.id)).toEqual([kept!.id]);
  });
});

/** Runs `work` between the next ranking and its use. */
function afterRanking(work: () => Promise<unknown>): void {
  const relevant = HeavyReads.prototype.relevant;
  const ranking = vi.spyOn(HeavyReads.prototype, 'relevant').mockImplementationOnce(async function (
    this: HeavyReads,
    ...asked
  ) {
    const found = await relevant.apply(this, asked);
    await work();
    return found;
  });
  onTestFinished(() => ranking.mockRestore());
}

async function openStore() {
  const dataDir = quickFolder();
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { opened, organizationId: await anOrganization(opened), path: join(dataDir, 'memory.db') };
}

/** Stores memories, some of them indexed. All reads go to the thread, with a backlog of all memories. */
async function openMany() {
  const { opened, organizationId, path } = await openStore();
  const contents = Array.from({ length: 100 }, (_, n) => {
    const words = WORDS.filter((_, word) => n % (word + 2) === 0);
    return [...words, ...words.slice(0, n % 3), `w${n}`].join(' ');
  });
  const given = contents.map((content, n) => ({ content, metadata: { kind: 'abc'[n % 3] ?? '', serial: n % 7 } }));
  const [first] = await store(opened, organizationId, ...given.slice(0, 70));
  await store(opened, organizationId, ...given.slice(70));
  await softDelete(opened, first!);
  const otherId = await anOrganization(opened);
  await store(opened, otherId, {});
  const reader = new Connection(path, { readOnly: true });
  const thread = new DatabaseThread<ReadOrder, ReadAnswer>(path, workerFile('memories/read-worker'), () => {});
  onTestFinished(async () => {
    reader.close();
    await thread.close();
  });
  const organizations = new Organizations(reader);
  const org = organizations.keyOf(organizationId)!;
  return {
    opened,
    organizationId,
    reader,
    thread,
    org,
    other: organizations.keyOf(otherId)!,
    reads: new HeavyReads(reader, organizations, thread, { memories: 1, words: 1 }),
    backlog: contents.map((content, n) => ({ org, seq: n + 1, terms: termsOf(content) })),
  };
}
