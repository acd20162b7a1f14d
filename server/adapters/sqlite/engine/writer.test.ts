import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS } from '../../../domain/fairness/bounds.js';
import { ShareExceededError } from '../../../domain/fairness/owner.js';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import { Connection } from './connection.js';
import { type CommitParticipant, type UnitOwner, Writer } from './writer.js';
import { Yielder } from './yielder.js';

describe('Writer', () => {
  test('commits units that wait together in one transaction', async () => {
    const { writer, insert, stored } = open();

    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => writer.run(async () => insert(n))));

    expect(results).toEqual([1, 2, 3, 4, 5]);
    expect(stored()).toEqual([1, 2, 3, 4, 5]);
    expect(writer.commits).toBeLessThan(5);
  });

  test('commits at most 64 units together', async () => {
    const { writer, insert, stored } = open();

    await Promise.all(Array.from({ length: 130 }, (_, n) => writer.run(async () => insert(n))));

    expect(stored()).toHaveLength(130);
    expect(writer.commits).toBeGreaterThanOrEqual(3);
    expect(writer.commits).toBeLessThan(30);
  });

  test('includes units that arrive while a group runs', async () => {
    const { writer, insert } = open();
    const late: Promise<number>[] = [];

    await writer.run(async () => {
      late.push(writer.run(async () => insert(2)));
      return insert(1);
    });
    await Promise.all(late);

    expect(writer.commits).toBe(1);
  });

  test('waits for as many units as in the last group if a commit is slow', async () => {
    const { writer, insert, commitsTake } = open();
    commitsTake(5);
    await Promise.all([1, 2, 3].map((n) => writer.run(async () => insert(n))));

    const units = [writer.run(async () => insert(4))];
    for (const n of [5, 6]) {
      await turns(3);
      units.push(writer.run(async () => insert(n)));
    }
    await Promise.all(units);

    expect(writer.commits).toBe(2);
  });

  test.each([
    { commitMs: 10, maxMs: 2 },
    { commitMs: 1, maxMs: 1 },
  ])('waits at most $maxMs ms if a commit takes $commitMs ms', async ({ commitMs, maxMs }) => {
    const { writer, clock, insert, commitsTake } = open();
    commitsTake(commitMs);
    await Promise.all([1, 2, 3].map((n) => writer.run(async () => insert(n))));
    let now = 1_000;
    clock.mockImplementation(() => (now += 0.01));

    await writer.run(async () => insert(4));

    expect(now - 1_000).toBeGreaterThan(maxMs);
    expect(now - 1_000).toBeLessThan(maxMs + 0.5);
  });

  test('does not wait if the last group had one unit', async () => {
    const { writer, clock, insert, commitsTake } = open();
    commitsTake(5);
    await writer.run(async () => insert(1));
    let now = 1_000;
    clock.mockImplementation(() => (now += 0.01));

    await writer.run(async () => insert(2));

    expect(now - 1_000).toBeLessThan(0.5);
  });

  test('keeps the other units of a group if one fails', async () => {
    const { writer, insert, stored } = open();
    const failing = async () => {
      insert(2);
      throw new Error('on purpose');
    };

    const outcomes = await Promise.allSettled([
      writer.run(async () => insert(1)),
      writer.run(failing),
      writer.run(async () => insert(3)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual([1, 3]);
  });

  test('keeps the later units of a group if the first fails', async () => {
    const { writer, insert, stored } = open();
    const failing = async () => {
      insert(1);
      throw new Error('on purpose');
    };

    const outcomes = await Promise.allSettled([
      writer.run(failing),
      writer.run(failing),
      writer.run(async () => insert(3)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(stored()).toEqual([3]);
  });

  test('rejects a unit with its own error if it cannot be rolled back', async () => {
    const { writer, connection, insert, stored } = open();
    const run = connection.run.bind(connection);
    let begun = 0;
    vi.spyOn(connection, 'run').mockImplementation((sql, ...parameters) => {
      if (sql === 'BEGIN IMMEDIATE' && ++begun === 2) throw new Error('locked');
      return run(sql, ...parameters);
    });
    const failing = async () => {
      insert(1);
      throw new Error('on purpose');
    };

    await expect(writer.run(failing)).rejects.toThrow('on purpose');
    await writer.run(async () => insert(2));

    expect(stored()).toEqual([2]);
  });

  test('answers no unit before the commit', async () => {
    const order: string[] = [];
    const { writer, insert } = open({ beforeCommit: async () => void order.push('commit') });

    await Promise.all([1, 2].map((n) => writer.run(async () => insert(n)).then(() => order.push('answer'))));

    expect(order).toEqual(['commit', 'answer', 'answer']);
  });

  test.each([
    { commitMs: 1, turnsBetween: 0 },
    { commitMs: 5, turnsBetween: 1 },
  ])('answers $turnsBetween turns after a commit of $commitMs ms', async ({ commitMs, turnsBetween }) => {
    let turns = 0;
    const count = () => {
      turns += 1;
    };
    const { writer, insert, commitsTake } = open({ committed: () => void setImmediate(count) });
    commitsTake(commitMs);

    await writer.run(async () => insert(1));

    expect(turns).toBe(turnsBetween);
  });

  test('rejects a failed unit only after the commit of the units that may have caused it', async () => {
    const { writer, insert, stored } = open();
    const taken = async () => {
      if (stored().includes(1)) throw new Error('taken');
    };

    const outcome = await Promise.all([
      writer.run(async () => insert(1)),
      writer.run(taken).catch((error: Error) => ({ error: error.message, commits: writer.commits })),
    ]);

    expect(outcome).toEqual([1, { error: 'taken', commits: 1 }]);
  });

  test('rejects every unit of the group if the commit fails, and continues with the next group', async () => {
    let failures = 1;
    const calls: string[] = [];
    const { writer, insert, stored } = open({
      beforeCommit: async () => {
        if (failures-- > 0) throw new Error('no commit');
      },
      abandoned: () => calls.push('abandoned'),
      committed: () => calls.push('committed'),
    });

    const failing = async () => {
      throw new Error('on purpose');
    };

    const outcomes = await Promise.allSettled([
      ...[1, 2].map((n) => writer.run(async () => insert(n))),
      writer.run(failing),
    ]);

    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(stored()).toEqual([]);
    await writer.run(async () => insert(3));
    expect(stored()).toEqual([3]);
    expect(calls).toEqual(['abandoned', 'committed']);
  });

  test('stores nothing of a group for which the disk had no room, and continues when there is room', async () => {
    const { writer, connection, insert, stored } = open();
    const { page_count: pages = 0 } = connection.get<{ page_count: number }>('PRAGMA page_count') ?? {};
    connection.exec(`PRAGMA max_page_count = ${pages + 5}`);
    const large = async () => connection.run('INSERT INTO texts (text) VALUES (?)', 'x'.repeat(100_000));

    const outcomes = await Promise.allSettled([writer.run(async () => insert(1)), writer.run(large)]);

    expect(outcomes[1]).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(stored()).toEqual(outcomes[0]?.status === 'fulfilled' ? [1] : []);
    connection.exec('PRAGMA max_page_count = 1000000');
    await writer.run(large);
    await writer.run(async () => insert(2));
    expect(stored()).toContain(2);
  });

  test('reports an unavailable store while another connection writes', async () => {
    const { writer, path, insert, stored } = open();
    const other = new Connection(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');

    await expect(writer.run(async () => insert(1))).rejects.toThrow(StoreUnavailableError);

    other.exec('ROLLBACK');
    await writer.run(async () => insert(2));
    expect(stored()).toEqual([2]);
  });

  test('finishes accepted units when it is closed, and rejects new ones', async () => {
    const { writer, insert, stored } = open();
    const order: string[] = [];
    const taken = writer.run(async () => insert(1)).then(() => order.push('taken'));

    const closing = writer.close().then(() => order.push('closed'));

    await expect(writer.run(async () => insert(2))).rejects.toThrow(StoreUnavailableError);
    await Promise.all([closing, taken]);
    expect(order).toEqual(['taken', 'closed']);
    expect(stored()).toEqual([1]);
  });

  test('runs a unit of one tenant in the next group while the full share of another tenant waits', async () => {
    const { writer, insert } = open();
    const { tenant: share } = BOUNDS.writes.waitingShares;
    const flood = Array.from({ length: share }, (_, n) => writer.run(async () => insert(n), tenant('flood')));

    const commits = await writer.run(async () => writer.commits, tenant('bystander'));

    expect(commits).toBe(0);
    await Promise.all(flood);
  });

  test('runs the units of one tenant in their order, between those of others', async () => {
    const { writer } = open();
    const order: string[] = [];
    const run = (id: string, n: number) => writer.run(async () => void order.push(`${id}${n}`), tenant(id));

    await Promise.all([run('a', 1), run('a', 2), run('a', 3), run('b', 1), run('b', 2), run('c', 1)]);

    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('rejects only the tenant whose share of the queue is full', async () => {
    const { writer, insert } = open();
    const { tenant: share } = BOUNDS.writes.waitingShares;
    const waiting = Array.from({ length: share }, (_, n) => writer.run(async () => insert(n), tenant('full')));

    const refused = await writer.run(async () => insert(-1), tenant('full')).catch((error: unknown) => error);
    const others = [writer.run(async () => insert(1), tenant('other')), writer.run(async () => insert(2))];

    expect(refused).toEqual(new ShareExceededError('writes', 'tenant', share));
    expect(writer.use).toMatchObject({ waiting: expect.any(Number), refused: 1 });
    await Promise.all([...waiting, ...others]);
    expect(writer.use).toEqual({ inUse: 0, waiting: 0, refused: 1 });
  });

  test('rejects tenants when the whole queue is full, but never units of the service', async () => {
    const { writer, insert } = open();
    const { maxWaiting, waitingShares } = BOUNDS.writes;
    const waiting = Array.from({ length: maxWaiting }, (_, n) =>
      writer.run(async () => insert(n), tenant(`${Math.floor(n / waitingShares.tenant)}`)),
    );

    const refused = writer.run(async () => insert(-1), tenant('late'));
    const own = writer.run(async () => insert(-2));

    await expect(refused).rejects.toThrow(new ShareExceededError('writes', 'capacity', maxWaiting));
    await expect(own).resolves.toBe(-2);
    await Promise.all(waiting);
  });

  test('gives other work a turn between long units', async () => {
    const { writer, clock } = open();
    clock.mockRestore();
    let turns = 0;
    let isRunning = true;
    const count = () => {
      turns += 1;
      if (isRunning) setImmediate(count);
    };
    const work = async () => {
      const until = performance.now() + 10;
      while (performance.now() < until);
    };

    setImmediate(count);
    await Promise.all(Array.from({ length: 6 }, () => writer.run(work)));
    isRunning = false;

    expect(turns).toBeGreaterThanOrEqual(5);
    expect(writer.commits).toBeGreaterThan(1);
  });
});

/** Stops the clock, since a group ends early on a busy machine. */
function open(hooks: Partial<CommitParticipant> = {}) {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const dataDir = mkdtempSync(join(tmpdir(), 'memory-writer-'));
  const path = join(dataDir, 'test.db');
  const connection = new Connection(path, { busyTimeoutMs: 10 });
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER); CREATE TABLE texts (text TEXT)');
  onTestFinished(() => {
    clock.mockRestore();
    connection.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const participant: CommitParticipant = {
    beforeGroup: async () => {},
    unitKept: () => {},
    unitDropped: () => {},
    beforeCommit: async () => {},
    committed: () => {},
    abandoned: () => {},
    ...hooks,
  };
  const commitsTake = (ms: number) => {
    const run = connection.run.bind(connection);
    vi.spyOn(connection, 'run').mockImplementation((sql, ...parameters) => {
      if (sql === 'COMMIT') clock.mockReturnValue(performance.now() + ms);
      return run(sql, ...parameters);
    });
  };
  return {
    clock,
    commitsTake,
    writer: new Writer(connection, participant, new Yielder(8)),
    connection,
    path,
    insert: (n: number) => {
      connection.run('INSERT INTO numbers (n) VALUES (?)', n);
      return n;
    },
    stored: () => connection.all<{ n: number }>('SELECT n FROM numbers ORDER BY n').map(({ n }) => n),
  };
}

function tenant(id: string): UnitOwner {
  return { kind: 'tenant', id };
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await turn();
}
