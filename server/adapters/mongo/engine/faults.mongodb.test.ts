import { v7 } from 'uuid';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { NO_SCOPE } from '../../../domain/memory/memory.js';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import type { ExpectedWrite } from '../../../ports/unit-of-work.js';
import { anOrganization, DIMENSIONS, indexedBy, insertInto, NORTH } from '../../../testing/fixtures/memories.js';
import { type Fault, FaultProxy, type ScriptedFault } from '../../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { type MongoStore, openMongoStore } from '../store.js';

const PERIOD = '2026-03';
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };
const databases = new MongoDatabases(DIMENSIONS);

const CUT_BEFORE: Fault = { kind: 'cut-before' };
const CUT_AFTER: Fault = { kind: 'cut-after' };
const refusal = (code: number, codeName: string, ...errorLabels: string[]) => ({
  ok: 0,
  code,
  codeName,
  errmsg: codeName,
  errorLabels,
});
const TRANSIENT: Fault = { kind: 'answer', reply: refusal(112, 'WriteConflict', 'TransientTransactionError') };
const STEPPED_DOWN: Fault = {
  kind: 'answer',
  reply: refusal(10_107, 'NotWritablePrimary', 'RetryableWriteError', 'TransientTransactionError'),
};
const SHUTTING_DOWN: Fault = {
  kind: 'answer',
  reply: refusal(91, 'ShutdownInProgress', 'RetryableWriteError', 'TransientTransactionError'),
};
const UNKNOWN_COMMIT: Fault = {
  kind: 'answer',
  reply: refusal(64, 'WriteConcernTimeout', 'UnknownTransactionCommitResult'),
};
const UNKNOWN_AFTER_COMMIT: Fault = { ...UNKNOWN_COMMIT, kind: 'answer-after' };

/** All commands of a unit that writes one memory. */
const COMMANDS = ['findAndModify', 'find', 'bulkWrite'];

/** All commands of such a unit that declared what it expects. */
const EXPECTING_COMMANDS = ['aggregate', 'bulkWrite'];

describe('a unit of work whose connection fails', () => {
  test.each([
    ...COMMANDS.flatMap(
      (command) =>
        [
          [`${command} cut off before the server has it`, [{ command, fault: CUT_BEFORE }]],
          [`${command} done and its answer cut off`, [{ command, fault: CUT_AFTER }]],
          [`${command} in conflict with another transaction`, [{ command, fault: TRANSIENT }]],
          [`${command} while the primary steps down`, [{ command, fault: STEPPED_DOWN }]],
          [`${command} while the server shuts down`, [{ command, fault: SHUTTING_DOWN }]],
        ] satisfies [string, ScriptedFault[]][],
    ),
    ['commit cut off before the server has it', commits(CUT_BEFORE)],
    ['commit done and its answer cut off', commits(CUT_AFTER)],
    ['commit done, and the answer cut off twice', commits(CUT_AFTER, CUT_AFTER)],
    ['commit of unknown outcome, not done', commits(UNKNOWN_COMMIT)],
    ['commit of unknown outcome, done', commits(UNKNOWN_AFTER_COMMIT)],
    ['commit of unknown outcome, three times', commits(UNKNOWN_COMMIT, UNKNOWN_COMMIT, UNKNOWN_AFTER_COMMIT)],
    ['commit in conflict with another transaction', commits({ ...TRANSIENT, kind: 'abort' })],
    ['commit while the primary steps down', commits(STEPPED_DOWN)],
    [
      'one failure after the other',
      [...COMMANDS.map((command) => ({ command, fault: TRANSIENT })), ...commits(CUT_AFTER)],
    ],
  ] satisfies [string, ScriptedFault[]][])('is stored once: %s', async (_, faults) => {
    const { proxy, tested, organizationId } = await open();

    proxy.script(...faults);
    await write(tested, organizationId);

    expect(proxy.met).toHaveLength(faults.length);
    expect(await stored(tested, organizationId)).toEqual({ memories: 1, audited: 1, ingest: 1, jobs: 1 });
  });

  test.each(
    EXPECTING_COMMANDS.flatMap(
      (command) =>
        [
          [`${command} cut off before the server has it`, { command, fault: CUT_BEFORE }],
          [`${command} done and its answer cut off`, { command, fault: CUT_AFTER }],
          [`${command} in conflict with another transaction`, { command, fault: TRANSIENT }],
          [`${command} while the primary steps down`, { command, fault: STEPPED_DOWN }],
        ] satisfies [string, ScriptedFault][],
    ),
  )('is stored once if it declared what it expects: %s', async (_, fault) => {
    const { proxy, tested, organizationId } = await open();

    proxy.script(fault);
    await write(tested, organizationId, [{ ...indexedBy({ content: 'once' }), scope: NO_SCOPE }]);

    expect(proxy.met).toHaveLength(1);
    expect(await stored(tested, organizationId)).toEqual({ memories: 1, audited: 1, ingest: 1, jobs: 1 });
  });

  test('is rejected as unavailable, with nothing stored, if the failures last until its deadline', async () => {
    const { proxy, tested, organizationId } = await open({ deadlineMs: 1 });

    proxy.script(...Array.from({ length: 200 }, () => ({ command: 'bulkWrite', fault: TRANSIENT })));

    await expect(write(tested, organizationId)).rejects.toThrow(StoreUnavailableError);
    proxy.script();
    expect(await stored(tested, organizationId)).toEqual({ memories: 0, audited: 0, ingest: 0, jobs: 0 });
  });

  test('reports that it may have been stored if the commit never gets an answer', async () => {
    const { proxy, tested, organizationId } = await open({ deadlineMs: 1 });

    proxy.script(...Array.from({ length: 200 }, () => ({ command: 'commitTransaction', fault: UNKNOWN_AFTER_COMMIT })));
    const writing = write(tested, organizationId);

    await expect(writing).rejects.toThrow(StoreUnavailableError);
    await expect(writing).rejects.toThrow(/may have been applied/);
    proxy.script();
    expect(await stored(tested, organizationId)).toEqual({ memories: 1, audited: 1, ingest: 1, jobs: 1 });
  });

  test('rethrows a failure of the work itself, even if the transaction cannot be aborted', async () => {
    const { proxy, tested, organizationId } = await open();

    proxy.script({ command: 'abortTransaction', fault: CUT_BEFORE });
    const failing = tested.transact(organizationId, async (unit) => {
      await insertInto(unit, {});
      throw new Error('on purpose');
    });

    await expect(failing).rejects.toThrow('on purpose');
    expect(await stored(tested, organizationId)).toEqual({ memories: 0, audited: 0, ingest: 0, jobs: 0 });
  });
});

describe('a command outside of transactions', () => {
  test.each([
    ['cut off before the server has it', CUT_BEFORE],
    ['done and its answer cut off', CUT_AFTER],
    ['sent while the primary steps down', STEPPED_DOWN],
  ])('is counted once when it is %s', async (_, fault) => {
    const { proxy, tested, organizationId } = await open();
    await tested.usage.takeSearch(organizationId, PERIOD, 10);
    const limiter = tested.rateLimiter({
      ingest: 9,
      search: 9,
      admin: 9,
      tools: 9,
      signIn: 9,
      signInAddress: 9,
      signInAccount: 9,
    });

    proxy.script({ command: 'update', fault }, { command: 'findAndModify', fault });
    const taken = await tested.usage.takeSearch(organizationId, PERIOD, 10);
    const { remaining } = await limiter.consume('search', organizationId, v7());

    expect(proxy.met).toEqual(['update', 'findAndModify']);
    expect(taken).toBe(true);
    expect(remaining).toBe(8);
    expect(await tested.usage.read(organizationId, PERIOD)).toEqual({ ingest: 0, search: 2 });
  });

  test.each([
    ['rejected', { n: 0, nModified: 0, writeErrors: [{ index: 0, code: 13_297, errmsg: 'refused' }] }, 'answer'],
    [
      'not confirmed by a majority in time',
      { n: 1, nModified: 1, writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'timed out' } },
      'answer-after',
    ],
  ] as const)('counts searches once that are %s', async (_, reply, kind) => {
    const { proxy, tested, organizationId } = await open();
    for (const _search of [1, 2]) tested.usage.countSearch(organizationId, PERIOD);

    proxy.script({ command: 'update', fault: { kind, reply: { ok: 1, ...reply } } });
    await expect(tested.usage.flush()).rejects.toThrow(StoreUnavailableError);
    await tested.usage.flush();

    expect(proxy.met).toEqual(['update']);
    expect(await tested.usage.read(organizationId, PERIOD)).toEqual({ ingest: 0, search: 2 });
  });

  test.each([
    ['find', (tested: MongoStore, organizationId: string) => tested.memories.findById(organizationId, v7())],
    [
      'aggregate',
      (tested: MongoStore, organizationId: string) =>
        tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 3 }),
    ],
  ])('is retried when %s fails once, and fails as unavailable the second time', async (command, read) => {
    const { proxy, tested, organizationId } = await open({ deadlineMs: 1 });

    proxy.script({ command, fault: CUT_BEFORE });
    await expect(read(tested, organizationId)).resolves.not.toThrow();
    proxy.script(...Array.from({ length: 200 }, () => ({ command, fault: CUT_BEFORE })));

    await expect(read(tested, organizationId)).rejects.toThrow(StoreUnavailableError);
  });
});

function commits(...faults: Fault[]): ScriptedFault[] {
  return faults.map((fault) => ({ command: 'commitTransaction', fault }));
}

async function open(options: { deadlineMs?: number } = {}) {
  const uri = await databases.acquire();
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const now = () => Date.now() * 1_000;
  const deadlineMs = options.deadlineMs ?? 60_000;
  const tested = await openMongoStore({
    uri: proxy.through(uri),
    dimensions: DIMENSIONS,
    now,
    deadlineMs,
    indexLagMs: INDEX_LAG_MS,
  });
  onTestFinished(() => tested[Symbol.asyncDispose]());
  return { proxy, tested, organizationId: await anOrganization(tested) };
}

async function write(tested: MongoStore, organizationId: string, writes?: readonly ExpectedWrite[]): Promise<void> {
  await tested.transact(organizationId, async (unit) => {
    if (writes) await unit.expect!({ writes, period: PERIOD });
    await insertInto(unit, { content: 'once', metadata: { kind: 'once' } });
    await unit.countIngest(PERIOD, 1);
    await unit.enqueue({ name: 'deliver-outbound', data: { organizationId, deliveryId: v7() } });
    await unit.recordAudit({
      id: v7(),
      occurredAt: 1,
      action: 'memory.ingest',
      actor: { type: 'token', id: v7() },
      source: 'rest',
      metadata: { outcome: 'created' },
    });
  });
}

async function stored(tested: MongoStore, organizationId: string) {
  const memories = await tested.memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 9 });
  const audited = await tested.audit.list(organizationId, { limit: 9 });
  const { ingest } = await tested.usage.read(organizationId, PERIOD);
  const [backlog] = await tested.jobs.backlog();
  const counting = { ...EVERYTHING, facets: ['kind'], valuesPerFacet: 9 };
  const { facets } = await tested.memories.stats(organizationId, counting);
  expect(facets.kind).toEqual(memories.length === 0 ? [] : [{ value: 'once', count: memories.length }]);
  return { memories: memories.length, audited: audited.length, ingest, jobs: backlog?.waiting ?? 0 };
}
