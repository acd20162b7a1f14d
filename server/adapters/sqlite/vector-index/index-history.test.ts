import { expect, type MockInstance, onTestFinished, test, vi } from 'vitest';
import { History } from '../../../testing/embedded/history.js';
import { IndexThread } from './reader/index-thread.js';
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
  const readDatabase = vi.spyOn(IndexThread.prototype, 'readDatabase');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  await using history = new History(SEED);
  await history.start();

  for (let step = 1; step <= STEPS; step += 1) {
    await history.step().catch((cause: unknown) => {
      throw new Error(`INDEX_HISTORY_SEED=${SEED}, step ${step}: ${String(cause)}`, { cause });
    });
  }

  const loads = await resultsOf(load);
  const used = loads.filter((clock) => clock !== undefined).length;
  const stored = (await resultsOf(readDatabase)).filter((index) => index !== undefined).length;
  const enough = Math.floor(STEPS / 1_000);
  for (const kind of ['write', 'ask', 'crowd', 'restart', 'kill', 'lose', 'let go'] as const) {
    expect(history.counts.get(kind) ?? 0, kind).toBeGreaterThanOrEqual(enough);
  }
  expect(used, 'files that were used').toBeGreaterThanOrEqual(enough);
  expect(loads.length - used, 'files that were not').toBeGreaterThanOrEqual(enough);
  expect(stored, 'indexes that a thread read from the database').toBeGreaterThanOrEqual(enough);
});

function resultsOf<Result>(spy: MockInstance<(...given: never[]) => Promise<Result>>): Promise<Result[]> {
  return Promise.all(spy.mock.results.map(({ value }) => value as Promise<Result>));
}
