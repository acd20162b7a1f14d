import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { countTurns } from '../../../testing/fixtures/count-turns.js';
import { anOrganization, change, NORTH, store } from '../../../testing/fixtures/memories.js';
import { countNormalizingSteps } from '../../../testing/fixtures/normalizing-steps.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { migrate } from '../engine/migrate.js';
import { Yielder } from '../engine/yielder.js';
import { openSqliteStore } from '../store.js';
import { KeywordBacklog } from './keyword-backlog.js';

/** Number of contents that are written together. */
const TOGETHER = 64;
/** Number of segments on one level at which the engine itself merges all of them at once. */
const CRISIS = 16;

describe('KeywordBacklog', () => {
  test('gives others a turn between the contents that it writes into the index', async () => {
    const { backlog } = open();
    const turns = countTurns();

    stage(backlog, 1, TOGETHER);
    await backlog.beforeCommit();

    expect(turns()).toBeGreaterThanOrEqual(TOGETHER);
  });

  test('merges segments early enough that the engine never does, for contents of any length', async () => {
    const { connection, backlog } = open(new Yielder(Number.POSITIVE_INFINITY));
    const parts: number[] = [];

    for (let seq = 1; seq < 12_000; seq += TOGETHER) {
      const words = seq % 5 === 0 ? 400 : 8;
      connection.exec('BEGIN IMMEDIATE');
      stage(backlog, seq, TOGETHER, words);
      await backlog.beforeCommit();
      connection.exec('COMMIT');
      backlog.committed();
      parts.push(partsOf(connection));
    }

    expect(Math.max(...parts)).toBeLessThan(CRISIS);
  });
});

describe('a large backlog', () => {
  test('is written oldest first, a part with each commit, while the rest waits', async () => {
    const { connection, backlog } = open();
    stage(backlog, 1, TOGETHER, 6_000);
    const parts: number[] = [];

    do {
      const before = writtenTo(connection);
      await backlog.beforeCommit();
      backlog.committed();
      parts.push(writtenTo(connection) - before);
      expect(backlog.of(1).map(({ seq }) => seq)).toEqual(range(writtenTo(connection) + 1, TOGETHER));
    } while (backlog.isDraining);

    expect(Math.max(...parts)).toBeLessThanOrEqual(3);
    expect(writtenTo(connection)).toBe(TOGETHER);
  });

  test('contains the latest words of a memory that changed while it waited', async () => {
    const { connection, backlog } = open();
    stage(backlog, 1, TOGETHER, 6_000);
    await backlog.beforeCommit();
    backlog.committed();
    for (const seq of [1, TOGETHER]) backlog.stage({ org: 1, seq, terms: ['changed'] });
    backlog.unitKept();

    do {
      await backlog.beforeCommit();
      backlog.committed();
    } while (backlog.isDraining);

    const rows = connection.all<{ rowid: number }>("SELECT rowid FROM keywords WHERE keywords MATCH '1_changed'");
    expect(rows.map(({ rowid }) => rowid)).toEqual([1, TOGETHER]);
  });

  test('is written completely without another write', async () => {
    const dataDir = quickFolder();
    await using opened = await openSqliteStore({ dataDir });
    const organizationId = await anOrganization(opened);
    const contents = Array.from({ length: TOGETHER }, (_, n) => ({ content: `number${n} ${'word '.repeat(4_000)}` }));

    await store(opened, organizationId, ...contents);

    const other = new Connection(join(dataDir, 'memory.db'));
    onTestFinished(() => other.close());
    await vi.waitFor(() => expect(writtenTo(other)).toBe(TOGETHER), { timeout: 20_000, interval: 20 });
  });
});

/** A content that is slow to split: U+FF9E becomes a mark only under NFKD. */
const HOSTILE = `${'\u0300\u0316'.repeat(15)}\uff9e`.repeat(3_000);

describe('a backlog after a restart', () => {
  test('is not split into words while the store opens', async () => {
    const { connection } = await afterCrash(Array.from({ length: TOGETHER - 1 }, (_, n) => `w${n} 한국어`));

    const steps = countNormalizingSteps();
    const backlog = new KeywordBacklog(connection, new Yielder(5));

    expect(backlog.unread).toBe(TOGETHER - 1);
    expect(steps()).toBe(0);
    // Splitting Hangul normalizes it, whatever was split before.
    await backlog.read(1, async () => {});
    expect(steps()).toBeGreaterThan(0);
  });

  test('is found by the first search and by every later one', async () => {
    const contents = ['aspen one', `birch ${HOSTILE}`, 'aspen three'];
    const { dataDir, organizationId } = await afterCrash(contents);
    await using opened = await openSqliteStore({ dataDir });
    const found = async (text: string) => {
      const query = { filter: NO_FILTER, includeDeleted: false, text, limit: 9 };
      return (await opened.memories.matching(organizationId, query)).matches.map(({ memory }) => memory.content);
    };

    expect(await found('birch')).toEqual([contents[1]]);
    expect(await found('aspen')).toEqual([contents[0], contents[2]]);

    await store(opened, organizationId, ...Array.from({ length: TOGETHER }, (_, n) => ({ content: `cedar ${n}` })));

    expect(await found('birch')).toEqual([contents[1]]);
    expect(await found('aspen')).toEqual([contents[0], contents[2]]);
  });

  test('matches only the new words of a memory that changed before the first search', async () => {
    const { dataDir, organizationId } = await afterCrash(['aspen one']);
    await using opened = await openSqliteStore({ dataDir });
    const [memory] = await opened.memories.list(organizationId, {
      filter: NO_FILTER,
      includeDeleted: false,
      order: 'oldest',
      limit: 1,
    });
    await change(opened, memory!, { content: 'birch one' }, NORTH);

    const query = { filter: NO_FILTER, includeDeleted: false, text: 'aspen', limit: 9 };
    const found = async (text: string) => (await opened.memories.matching(organizationId, { ...query, text })).matches;
    expect(await found('aspen')).toEqual([]);
    expect(await found('birch')).toHaveLength(1);
  });
});

/** Returns a folder with memories whose words are in no index. */
async function afterCrash(contents: readonly string[]) {
  const dataDir = quickFolder();
  const opened = await openSqliteStore({ dataDir });
  const organizationId = await anOrganization(opened);
  await store(opened, organizationId, ...contents.map((content) => ({ content })));
  await opened[Symbol.asyncDispose]();
  const connection = new Connection(join(dataDir, 'memory.db'));
  onTestFinished(() => connection.close());
  connection.exec('DELETE FROM keywords; UPDATE keyword_state SET seq = 0');
  return { dataDir, organizationId, connection };
}

function open(yielder = new Yielder(0)) {
  const connection = new Connection(':memory:');
  onTestFinished(() => connection.close());
  migrate(connection);
  return { connection, backlog: new KeywordBacklog(connection, yielder) };
}

function stage(backlog: KeywordBacklog, from: number, count: number, words = 8): void {
  for (let seq = from; seq < from + count; seq += 1) {
    const terms = Array.from({ length: words }, (_, n) => `w${(seq * 7_919 + n * 104_729) % 30_011}`);
    backlog.stage({ org: 1, seq, terms });
    backlog.unitKept();
  }
}

function writtenTo(connection: Connection): number {
  return connection.get<{ seq: number }>('SELECT seq FROM keyword_state')?.seq ?? 0;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}

function partsOf(connection: Connection): number {
  return connection.get<{ parts: number }>('SELECT count(DISTINCT segid) AS parts FROM keywords_idx')?.parts ?? 0;
}
