import { expect, test, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../ports/store-errors.js';
import { DatabaseThread } from '../threads/database-thread.js';
import { type ScrubOrder, scrubFiles } from './scrub.js';
import type { SweepResult } from './sweep.js';

const FILE = 7;

test('sweeps and empties the log between the commits of writers, and syncs while they write', async () => {
  const { run, asked } = scrubbing({ sweep: ['more', 'busy', 'more', 'done'], 'empty-log': ['busy', 'done'] });

  await run();

  expect(asked).toEqual([
    'begin',
    'between: sweep',
    'sync',
    'between: sweep',
    'between: sweep',
    'sync',
    'between: sweep',
    'sync',
    'between: empty-log',
    'between: empty-log',
    'end',
  ]);
});

test('fails if a reader does not end, and forgets its position', async () => {
  const { run, asked } = scrubbing({ sweep: ['more'], 'empty-log': [] }, 'busy');

  await expect(run()).rejects.toBeInstanceOf(StoreUnavailableError);

  expect(asked.filter((order) => order === 'between: sweep')).toHaveLength(1_001);
  expect(asked.at(-1)).toBe('end');
});

/** Runs a scrub on a thread that gives the listed answers, then `otherwise`. */
function scrubbing(answers: Record<'sweep' | 'empty-log', SweepResult[]>, otherwise: SweepResult = 'done') {
  const asked: string[] = [];
  let place = '';
  const thread = new DatabaseThread<ScrubOrder, SweepResult>('', '', () => {});
  vi.spyOn(thread, 'ask').mockImplementation(async ({ what, file }) => {
    expect(file).toBe(FILE);
    asked.push(place + what);
    return what === 'sweep' || what === 'empty-log' ? (answers[what].shift() ?? otherwise) : 'done';
  });
  const writer = {
    between: async <T>(work: () => Promise<T>): Promise<T> => {
      place = 'between: ';
      return work().finally(() => {
        place = '';
      });
    },
  };
  return { asked, run: () => scrubFiles(thread, writer, FILE, async () => {}) };
}
