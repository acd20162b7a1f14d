import { expect, onTestFinished, test, vi } from 'vitest';
import { History } from '../../../testing/embedded/history.js';
import { SavedIndexes } from './saved-indexes.js';

const STEPS = Number(process.env.INDEX_HISTORY_STEPS ?? 10_000);
const SEED = Number(process.env.INDEX_HISTORY_SEED ?? Math.floor(Math.random() * 2 ** 31));

/**
 * INDEX_HISTORY_SEED repeats the history of a failure, INDEX_HISTORY_STEPS sets
 * its length. If a kill happens while files are written, the result also
 * depends on the disk.
 */
test('a search returns the same as one over every memory, after any history of the store and its files', {
  timeout: 1_800_000,
}, async () => {
  const load = vi.spyOn(SavedIndexes.prototype, 'load');
  onTestFinished(() => load.mockRestore());
  await using history = new History(SEED);
  await history.start();

  for (let step = 1; step <= STEPS; step += 1) {
    await history.step().catch((cause: unknown) => {
      throw new Error(`INDEX_HISTORY_SEED=${SEED}, step ${step}: ${String(cause)}`, { cause });
    });
  }

  const loads = await Promise.all(load.mock.results.map(({ value }) => value as ReturnType<SavedIndexes['load']>));
  const used = loads.filter((clock) => clock !== undefined).length;
  const enough = Math.floor(STEPS / 1_000);
  for (const kind of ['write', 'ask', 'crowd', 'restart', 'kill', 'lose', 'let go'] as const) {
    expect(history.counts.get(kind) ?? 0, kind).toBeGreaterThanOrEqual(enough);
  }
  expect(used, 'files that were used').toBeGreaterThanOrEqual(enough);
  expect(loads.length - used, 'files that were not').toBeGreaterThanOrEqual(enough);
});
