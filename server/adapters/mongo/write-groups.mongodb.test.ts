import { v7 } from 'uuid';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { NO_SCOPE } from '../../domain/memory/memory.js';
import { NotFoundError } from '../../errors.js';
import { StoreUnavailableError } from '../../ports/store-errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { anOrganization, DIMENSIONS, indexedBy, insertInto } from '../../testing/fixtures/memories.js';
import { FaultProxy } from '../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from './store.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };
const databases = new MongoDatabases(DIMENSIONS);

describe('units that wait for the same organization', () => {
  test('see the writes of those before them, whether or not they share a transaction', async () => {
    const { tested, organizationId } = await open();
    const seen: (string | undefined)[] = [];
    const write = async (unit: UnitOfWork) => {
      await unit.expect?.({ writes: [{ ...indexedBy({ content: 'same' }), scope: NO_SCOPE }] });
      const found = await unit.findActiveByContent({}, indexedBy({ content: 'same' }).contentHash);
      seen.push(found?.id);
      if (!found) await insertInto(unit, { content: 'same' });
    };

    await Promise.all(Array.from({ length: 8 }, () => tested.transact(organizationId, write)));

    const [stored, ...others] = await listed(tested, organizationId);
    expect(others).toEqual([]);
    expect(seen.slice(-7)).toEqual(Array.from({ length: 7 }, () => stored?.id));
  });

  test('fail alone', async () => {
    const { tested, organizationId } = await open();
    const contents = ['a', 'b', 'c', 'd', 'e', 'f'];

    const settled = await Promise.allSettled(
      contents.map((content) =>
        tested.transact(organizationId, async (unit) => {
          await unit.expect?.({ ids: [] });
          await insertInto(unit, { content });
          if (content === 'c' || content === 'e') throw new NotFoundError();
        }),
      ),
    );

    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    const stored = await listed(tested, organizationId);
    expect(stored.map(({ content }) => content).sort()).toEqual(['a', 'b', 'd', 'f']);
  });

  test('run alone if they did not declare what they read', async () => {
    const { tested, proxy, organizationId } = await open();

    await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        tested.transact(organizationId, async (unit) => {
          await unit.tick();
          await insertInto(unit, { content: `content ${n}` });
        }),
      ),
    );

    expect(proxy.seen.filter((name) => name === 'commitTransaction')).toHaveLength(4);
    expect(await listed(tested, organizationId)).toHaveLength(4);
  });

  test('do not write to an organization that one of them deleted', async () => {
    const { tested, organizationId } = await open();

    const settled = await Promise.allSettled([
      tested.transact(organizationId, (unit) => unit.tick()),
      tested.transact(organizationId, async (unit) => {
        await unit.expect?.({ ids: [] });
        await unit.accounts.deleteOrganization(1);
      }),
      tested.transact(organizationId, async (unit) => {
        await unit.expect?.({ ids: [] });
        await insertInto(unit, {});
      }),
    ]);

    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { status: 'rejected', reason: { name: 'OrganizationGoneError' } },
    ]);
  });

  test('are all stored once, if the answer to their commit was lost', async () => {
    const { tested, proxy, organizationId } = await open();

    proxy.script(
      { command: 'commitTransaction', fault: { kind: 'cut-after' } },
      { command: 'commitTransaction', fault: { kind: 'cut-after' } },
    );
    await Promise.all(Array.from({ length: 9 }, (_, n) => insertedBy(tested, organizationId, `content ${n}`)));

    expect(proxy.met).toHaveLength(2);
    expect(await listed(tested, organizationId)).toHaveLength(9);
  });

  test('are all rejected if the deadline of the oldest has passed, which began in the queue', async () => {
    const { tested, proxy, organizationId } = await open({ deadlineMs: 1_500 });
    const conflict = { ok: 0, code: 112, errmsg: 'WriteConflict', errorLabels: ['TransientTransactionError'] };

    proxy.script(
      ...Array.from({ length: 500 }, () => ({
        command: 'bulkWrite',
        fault: { kind: 'answer' as const, reply: conflict },
      })),
    );
    const settled = await Promise.allSettled(
      Array.from({ length: 4 }, (_, n) => insertedBy(tested, organizationId, `content ${n}`)),
    );
    proxy.script();

    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    expect(settled[0]).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(await listed(tested, organizationId)).toEqual([]);
  });
});

async function open(options: { deadlineMs?: number } = {}) {
  const uri = await databases.acquire();
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const now = () => Date.now() * 1_000;
  const tested = await openMongoStore({
    uri: proxy.through(uri),
    dimensions: DIMENSIONS,
    now,
    indexLagMs: INDEX_LAG_MS,
    ...options,
  });
  onTestFinished(() => tested[Symbol.asyncDispose]());
  const organizationId = await anOrganization(tested);
  proxy.script();
  return { tested, proxy, organizationId };
}

type Tested = Awaited<ReturnType<typeof open>>['tested'];

async function insertedBy(tested: Tested, organizationId: string, content: string): Promise<void> {
  await tested.transact(organizationId, async (unit) => {
    await unit.expect?.({ writes: [{ ...indexedBy({ content }), scope: NO_SCOPE }], ids: [v7()] });
    await insertInto(unit, { content });
  });
}

async function listed(tested: Tested, organizationId: string) {
  return tested.memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 99 });
}
