import { expect, test } from 'vitest';
import { inTurn, inTurnTogether } from './in-turn.js';

const INPUTS = Array.from({ length: 20 }, (_, n) => n);

test('gives every input to each side, a few at a time', async () => {
  const calls: string[] = [];
  const side = (name: string) => async (input: number) => void calls.push(`${name}${input}`);

  const measured = await inTurn(INPUTS, [side('a'), side('b')], 0);

  expect(measured).toHaveLength(2);
  expect(calls).toHaveLength(2 * INPUTS.length);
  expect(calls.slice(0, 11).join(' ')).toBe('a0 a1 a2 a3 a4 b0 b1 b2 b3 b4 a5');
});

test('keeps sides apart while several clients call', async () => {
  let [running, most] = [0, 0];
  const names = new Set<string>();
  const side = (name: string) => async () => {
    running += 1;
    names.add(name);
    most = Math.max(most, running);
    await Promise.resolve();
    if (new Set(names).size > 1) throw new Error('two sides ran at once');
    running -= 1;
    if (running === 0) names.clear();
  };

  await inTurnTogether(3, INPUTS, [side('a'), side('b')], 0);

  expect(most).toBe(3);
});
