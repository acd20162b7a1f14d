import { expect } from 'vitest';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
/** Others may use the organization too: what is counted of one's own shows when nothing else happens meanwhile. */
const ROUNDS = 4;

async function used(target: Target, meter: 'ingest' | 'search' | 'storage'): Promise<number> {
  const answer = await target.send('GET', '/api/organization/usage');
  const metered = answer.body[meter] as { used: number } | undefined;
  if (answer.status !== 200 || !metered) throw new PrerequisiteError(`usage was answered with ${answer.status}`);
  return metered.used;
}

/** Returns what was stored, replayed and searched today and yesterday: midnight may come in between. */
async function usedLately(target: Target): Promise<number[]> {
  const { status, body } = await target.send('GET', '/api/organization/usage/days', undefined, { query: { limit: 2 } });
  if (status !== 200) throw new PrerequisiteError(`usage by day was answered with ${status}`);
  const days = body.days as Record<'stored' | 'replayed' | 'searched', number>[];
  return (['stored', 'replayed', 'searched'] as const).map((kind) => days.reduce((sum, day) => sum + day[kind], 0));
}

/** Fails unless the work counts for `expected`. */
async function expectCount(
  target: Target,
  meter: 'ingest' | 'search',
  expected: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const counts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await used(target, meter);
    await work();
    counts.push((await used(target, meter)) - before);
    if (counts.at(-1) === expected) return;
  }
  expect.fail(`expected ${expected} to be counted, but it was ${counts.join(', ')}`);
}

const READS: Record<string, (target: Target) => Promise<unknown>> = {
  search: (target) => target.search({ query: 'memory', limit: 1 }),
  export: (target) => target.read('export', { limit: 1 }),
  stats: (target) => target.read('stats'),
  changes: (target) => target.read('changes', { limit: 1 }),
  recent: (target) => target.read('recent', { limit: 1 }),
};

function metered(read: string): Omit<Check, 'section'> {
  return {
    id: `usage-of-${read}`,
    level: 'must',
    requirement: `${read} counts toward the search quota.`,
    needs: ['management'],
    isAlone: true,
    async run(target) {
      await expectCount(target, 'search', 1, async () => READS[read]?.(target));
    },
  };
}

/** The operations that count toward the monthly caps. */
export const usageChecks: readonly Check[] = [
  ...defineChecks('3', [
    {
      id: 'usage-of-ingest',
      level: 'must',
      requirement: 'A new memory raises the ingest count by one.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        await expectCount(target, 'ingest', 1, () => target.ingest());
      },
    },
    {
      id: 'usage-of-replay',
      level: 'should',
      requirement: 'An exact replay is not counted.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        const { content } = await target.stored();

        await expectCount(target, 'ingest', 0, () => target.ingest({ content }));
      },
    },
    {
      id: 'usage-of-refused',
      level: 'must',
      requirement: 'A rejected write is not counted.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        await expectCount(target, 'ingest', 0, () => target.ingest({ content: '' }));
      },
    },
  ]),
  ...defineChecks('4.3', [
    {
      id: 'usage-of-batch',
      level: 'must',
      requirement: 'Only the accepted items of a batch raise the ingest count.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        await expectCount(target, 'ingest', 2, () => target.batch([target.fields(), { content: 7 }, target.fields()]));
      },
    },
  ]),
  ...defineChecks('5.5', [
    {
      id: 'usage-of-storage',
      level: 'should',
      requirement: 'A new memory adds at least its content to the storage, and deleting it subtracts the same.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        const seen: string[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const before = await used(target, 'storage');
          const { id, content } = await target.stored();
          const stored = (await used(target, 'storage')) - before;
          await target.delete(id);
          const left = (await used(target, 'storage')) - before;
          if (stored >= Buffer.byteLength(content) && left === 0) return;
          seen.push(`${stored} bytes for ${Buffer.byteLength(content)}, and ${left} after deleting`);
        }
        expect.fail(`usage told of ${seen.join('; ')}`);
      },
    },
    ...Object.keys(READS).map(metered),
    {
      id: 'usage-by-day',
      level: 'should',
      requirement: 'Usage by day counts memories that were stored, exact replays, and searches.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        const seen: number[][] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const before = await usedLately(target);
          const { content } = await target.stored();
          await target.ingest({ content });
          await target.read('recent', { limit: 1 });
          const after = await usedLately(target);
          const counted = after.map((count, at) => count - (before[at] ?? 0));
          if (counted.every((count) => count === 1)) return;
          seen.push(counted);
        }
        expect.fail(`one each was expected, but it was ${seen.map((counted) => counted.join(', ')).join('; ')}`);
      },
    },
    {
      id: 'usage-of-get',
      level: 'must',
      requirement: 'get does not count toward the search quota.',
      needs: ['management'],
      isAlone: true,
      async run(target) {
        const { id } = await target.stored();

        await expectCount(target, 'search', 0, async () => {
          await target.get(id);
          await target.get(UNKNOWN);
        });
      },
    },
  ]),
];
