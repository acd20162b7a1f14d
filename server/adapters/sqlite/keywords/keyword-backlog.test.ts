import { describe, expect, onTestFinished, test } from 'vitest';
import { Connection } from '../engine/connection.js';
import { migrate } from '../engine/migrate.js';
import { Pacer } from '../engine/pacer.js';
import { KeywordBacklog } from './keyword-backlog.js';

/** How many contents are written together. */
const TOGETHER = 64;
/** So many parts of one level the engine merges by itself, all at once. */
const CRISIS = 16;

describe('KeywordBacklog', () => {
  test('gives others a turn between the contents that it writes', async () => {
    const { backlog } = open();
    const turns = countTurns();

    stage(backlog, 1, TOGETHER);
    await backlog.beforeCommit();

    expect(turns()).toBeGreaterThanOrEqual(TOGETHER);
  });

  test('merges the parts of the index so soon that the engine never has to, whatever the length of contents', async () => {
    const { connection, backlog } = open(new Pacer(Number.POSITIVE_INFINITY));
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

function open(pacer = new Pacer(0)) {
  const connection = new Connection(':memory:');
  onTestFinished(() => connection.close());
  migrate(connection);
  return { connection, backlog: new KeywordBacklog(connection, pacer) };
}

function stage(backlog: KeywordBacklog, from: number, count: number, words = 8): void {
  for (let seq = from; seq < from + count; seq += 1) {
    const terms = Array.from({ length: words }, (_, n) => `w${(seq * 7_919 + n * 104_729) % 30_011}`);
    backlog.stage({ org: 1, seq, terms });
    backlog.unitKept();
  }
}

function partsOf(connection: Connection): number {
  return connection.get<{ parts: number }>('SELECT count(DISTINCT segid) AS parts FROM keywords_idx')?.parts ?? 0;
}

/** Counts the turns of the event loop from now on. */
function countTurns(): () => number {
  let turns = 0;
  let isCounting = true;
  const count = () => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  onTestFinished(() => {
    isCounting = false;
  });
  return () => turns;
}
