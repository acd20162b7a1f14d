import { expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { capped, subscribe } from '../../testing/fixtures/subscriptions.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { listRecent } from '../reading/reads.js';
import { reportUsage } from './usage.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };

test('exactly 100 of 256 parallel searches pass a cap of 100, and the rest get quota_exceeded', async () => {
  const { deps, caller } = await testWorld({ billing: capped({ searchPerMonth: 100 }) });
  await subscribe(deps, caller.organizationId);

  const reads = await Promise.allSettled(Array.from({ length: 256 }, () => listRecent(deps, caller, EVERYTHING, 1)));

  const refused = reads.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(156);
  expect(refused).toEqual(
    Array(156).fill(expect.objectContaining({ reason: expect.objectContaining({ code: 'quota_exceeded' }) })),
  );
  expect((await reportUsage(deps, caller)).search).toEqual({ used: 100, cap: 100 });
});

test('a deployment without plans reads no subscription and begins no transaction', async () => {
  const { deps, caller } = await testWorld();
  const calls: string[] = [];
  const store = replaceMethods(deps.store, {
    subscriptions: {
      of: async () => {
        calls.push('subscriptions');
        return [];
      },
    },
    transact: async () => {
      calls.push('transact');
      throw new Error('no read begins a transaction');
    },
  });

  await listRecent({ ...deps, store }, caller, EVERYTHING, 1);

  expect(calls).toEqual([]);
});
