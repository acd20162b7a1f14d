import { describe, expect, test } from 'vitest';
import { LoopTurns } from './loop-turns.js';

const LONG = 10_001;

describe('long work', () => {
  test('of one tenant runs a piece at a time, and delays another tenant by one piece', async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const batch = (tenant: string, count: number) =>
      Array.from({ length: count }, (_, n) => turns.row(tenant).run(LONG, () => order.push(`${tenant}${n}`)));

    await Promise.all([...batch('a', 5), ...batch('b', 2)]);

    expect(order).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'a3', 'a4']);
  });

  test('lets others have turns of the event loop after each piece, however many wait', async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const tick = () => {
      order.push('other');
      if (order.filter((each) => each === 'piece').length < 4) setImmediate(tick);
    };
    setImmediate(tick);

    await Promise.all(Array.from({ length: 4 }, () => turns.row('a').run(LONG, () => order.push('piece'))));

    expect(order.join(' ')).not.toContain('piece piece');
  });

  test('goes on after a piece that fails', async () => {
    const turns = new LoopTurns();
    const fail = () => {
      throw new Error('no');
    };

    await expect(turns.row('a').run(LONG, fail)).rejects.toThrow('no');

    expect(await turns.row('a').run(LONG, () => 'done')).toBe('done');
  });
});

describe('short pieces', () => {
  test('run at once until they are long together', async () => {
    const turns = new LoopTurns();
    using _ = await turns.resource.wait([{ kind: 'tenant', id: 'b' }]);
    const row = turns.row('a');

    for (let n = 0; n < 10; n += 1) await row.run(1_000, () => undefined);
    void row.run(1_000, () => undefined);

    expect(turns.resource.use).toMatchObject({ inUse: 1, waiting: 1 });
  });
});
