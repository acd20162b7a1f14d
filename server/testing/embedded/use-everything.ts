import type { SqliteStore } from '../../adapters/sqlite/sqlite-store.js';
import type { Filter } from '../../domain/filter/filter.js';
import { NO_SCOPE } from '../../domain/memory/memory.js';
import type { AuditQuery } from '../../ports/audit-log.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { anOrganization, atCosine, change, indexedBy, NORTH, softDelete, store } from '../fixtures/memories.js';
import { subscribe } from '../fixtures/subscriptions.js';
import type { TestThreads } from './test-threads.js';
import {
  useAccounts,
  useDays,
  useDeletions,
  useErasures,
  useInbound,
  useJobs,
  useOutbound,
} from './use-everything-else.js';

export const FILTERS: readonly Filter[] = [
  { metadata: [] },
  { metadata: [{ key: 'kind', anyOf: ['a'] }] },
  { metadata: [{ key: 'kind', anyOf: ['a', 'b'] }] },
  { subjectKey: 1, externalKey: 'k', metadata: [{ key: 'kind', anyOf: ['a', 'b'] }] },
  { metadata: [], where: [{ kind: 'range', key: 'n', above: { value: 1, inclusive: true } }] },
  { metadata: [], where: [{ kind: 'range', key: 'n', below: { value: 'a', inclusive: false } }] },
  {
    metadata: [],
    where: [
      { kind: 'range', key: 'n', above: { value: 1, inclusive: false }, below: { value: 2, inclusive: true } },
      { kind: 'time', field: 'updatedAt', from: 1, before: 2 ** 52 },
    ],
  },
  {
    metadata: [{ key: 'kind', anyOf: ['a', 'b'] }],
    where: [
      { kind: 'range', key: 'n', above: { value: 'a', inclusive: true }, below: { value: 'b', inclusive: true } },
      { kind: 'noneOf', key: 'kind', values: ['c'] },
      { kind: 'exists', key: 'kind', exists: true },
      { kind: 'exists', key: 'other', exists: false },
      { kind: 'time', field: 'createdAt', from: 1, anyOf: [2], noneOf: [3] },
    ],
  },
  { metadata: [], where: [{ kind: 'noneOf', key: 'kind', values: ['c', 'd'] }] },
];

/** Returns each combination of audit log filters, for the first page and a later one. */
export function auditQueries(): AuditQuery[] {
  const after = { at: 5, id: 'x' };
  const filters = [
    {},
    { actions: ['memory.delete'] },
    { actions: ['memory.delete', 'memory.purge'] },
    { actorId: 'a', actions: ['memory.delete'] },
    { memoryId: 'm', actions: ['memory.delete'] },
    { source: 'rest' },
  ] as const;
  return filters
    .flatMap((filter) => [filter, { ...filter, since: 1, until: 9 }])
    .flatMap((filter) => [
      { ...filter, limit: 9 },
      { ...filter, after, limit: 9 },
    ]);
}

async function recordEvents(unit: UnitOfWork): Promise<void> {
  const event = {
    id: 'x',
    occurredAt: 1,
    action: 'memory.delete',
    actor: { type: 'system', id: 'a' },
    memoryId: 'm',
    source: 'rest',
    metadata: {},
  } as const;
  await unit.recordAudit(event);
  await unit.recordAudit({ ...event, batchId: 'b' });
}

export async function useDocuments(opened: SqliteStore, organizationId: string): Promise<void> {
  const after = { documentId: 'd' };
  for (const of of [undefined, {}, { documentId: 'd' }]) {
    await opened.documents.chunks(organizationId, { ...(of && { of }), limit: 9 });
    await opened.documents.chunks(organizationId, { ...(of && { of }), after, limit: 9 });
  }
  await opened.documents.subjectsOf(organizationId, 'd', 2);
  await opened.documents.contents(organizationId, ['x']);
}

/** Uses every kind of write and read once, in a small organization and in a large one. */
export async function useEverything(opened: SqliteStore): Promise<void> {
  const organizationId = await anOrganization(opened);
  const [first, second] = await store(
    opened,
    organizationId,
    { metadata: { kind: 'a' }, subjectKey: 1, externalKey: 'k' },
    { metadata: { kind: 'b' } },
  );
  await change(opened, first!, { content: 'other', metadata: { kind: 'c' } }, NORTH);
  await softDelete(opened, second!);
  await opened.transact(organizationId, async (unit) => {
    await unit.findByExternalKey('k', NO_SCOPE);
    await unit.findByExternalKey('none', NO_SCOPE);
    await unit.findActiveByWords({ subjectKey: 1 }, indexedBy(first!).wordsHash, 5);
    await unit.findActiveByFold({ subjectKey: 1 }, indexedBy({ content: 'other' }));
    const announced = ['memory', 'other'].map((content) => ({ ...indexedBy({ content }), scope: NO_SCOPE }));
    await unit.expect?.({ writes: announced.map(({ wordsHash: _, ...write }) => write) });
    await unit.findActiveByContent({ subjectKey: 1 }, indexedBy({ content: 'other' }).contentHash);
    await unit.similarityOf(first!.id, NORTH);
    await unit.anySubjectKey();
    await unit.findExpiring(9);
    await unit.freeTime(first!.createdAt);
    await unit.advance(first!.createdAt);
    await unit.saveSettings({
      ...(await unit.settings()),
      pendingFingerprint: 'other|x|8',
      formerFingerprint: 'x|x|8',
    });
    await unit.storePending(first!.id, { embedding: NORTH, fingerprint: 'other|x|8' });
    await unit.isPendingComplete();
    await unit.deleteFormerVectors(9);
    await unit.replaceTerms(first!.id, ['other', 'words']);
    await unit.countIngest('2024-05', 1, 9);
    await unit.countIngest('2024-06', 1);
    await unit.countDaily('2024-05-01', 'stored');
    await unit.subscriptions.recordEvent('x', 1);
    await unit.subscriptions.forgetEvents(1, 9);
    await unit.subscriptions.all();
    await recordEvents(unit);
  });
  for (const filter of FILTERS) {
    await useBrowsing(opened, organizationId, filter);
    for (const includeDeleted of [false, true]) {
      const scope = { filter, includeDeleted };
      const after = { at: first!.createdAt, id: first!.id };
      for (const order of ['oldest', 'newest', 'changed', 'lastChanged'] as const) {
        await opened.memories.list(organizationId, { ...scope, order, limit: 9 });
        await opened.memories.list(organizationId, { ...scope, order, limit: 9, after, since: after.at });
        await opened.memories.listLines(organizationId, { ...scope, order, limit: 9, after, maxBytes: 9 });
      }
      await opened.memories.stats(organizationId, { ...scope, facets: ['kind'], valuesPerFacet: 9 });
      for (const time of ['createdAt', 'updatedAt'] as const) {
        const day = { ...scope, time, since: 1, until: 2 ** 52, interval: 'day', starts: [0] } as const;
        await opened.memories.histogram(organizationId, day);
        await opened.memories.histogram(organizationId, { ...day, facet: { key: 'kind', values: 9 } });
      }
      const recency = { weight: 0.5, halflifeDays: 1, now: first!.createdAt };
      await opened.memories.nearest(organizationId, { ...scope, vector: NORTH, limit: 9, recency });
      await opened.memories.matching(organizationId, {
        ...scope,
        text: 'memory other',
        limit: 9,
        comparedTo: { vector: NORTH },
      });
      const kept = { limit: 1, scoreOf: () => 1 };
      await opened.memories.matching(organizationId, { ...scope, text: 'memory other', limit: 9, kept });
      const outside = [{ documentId: 'd' }, { documentId: 'd', subjectKey: 1 }];
      await opened.memories.nearest(organizationId, { ...scope, vector: NORTH, limit: 9, outside });
      await opened.memories.countByDocument(organizationId, scope, outside);
    }
  }
  await opened.memories.findMatching(organizationId, FILTERS[1]!, 9);
  await opened.memories.findDeleted(organizationId, 1, 9);
  await opened.accounts.organizationsToTend(1);
  await opened.transact(organizationId, async (unit) => {
    await unit.outbound.deleteDeliveriesOf(second!.id);
    await unit.purge(second!.id, await unit.tick());
    await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: 'other|x|8' });
  });
  await opened.memories.findById(organizationId, first!.id);
  await opened.memories.areActive(organizationId, [indexedBy(first!)]);
  await opened.memories.areActive(organizationId, [indexedBy(first!), { contentHash: 'x' }]);
  await opened.memories.findUnembedded(organizationId, 9, 1);
  await opened.memories.countUnembedded(organizationId);
  await opened.memories.findVectors(organizationId, [first!.id], 'other|x|8');
  await useDocuments(opened, organizationId);
  await store(opened, organizationId, { metadata: { documentId: 'd', chunkIndex: 0, chunkTotal: 1 } });
  await opened.memories.matching(organizationId, {
    filter: FILTERS[0]!,
    includeDeleted: true,
    text: 'memory',
    limit: 9,
  });
  await opened.usage.read(organizationId, '2024-05');
  await opened.usage.storedBytes(organizationId);
  await opened.subscriptions.of(organizationId);
  for (const query of auditQueries()) await opened.audit.list(organizationId, query);
  await opened.audit.deleteBefore(organizationId, 1, 9);
  await opened.accounts.findTokenByDigest('x');
  await opened.accounts.standingsOf('x');
  await opened.accounts.standingsOf('x', organizationId);
  await opened.accounts.findRole(organizationId, 'x');
  await useAccounts(opened, organizationId);
  await useDays(opened, organizationId);
  await useErasures(opened, organizationId, first!.id);
  await useInbound(opened, organizationId);
  await useJobs(opened, organizationId);
  await useOutbound(opened, organizationId);
  await subscribe({ store: opened }, organizationId);
  await useMany(opened);
  await useDeletions(opened);
  await opened.canary.replace(await opened.canary.read(), 'sealed');
  await opened.warm();
  await opened.probe();
}

async function useBrowsing(opened: SqliteStore, organizationId: string, filter: Filter): Promise<void> {
  for (const includeDeleted of [false, true, 'only'] as const) {
    for (const order of ['oldest', 'newest', 'changed', 'lastChanged'] as const) {
      const bounds = { since: 1, until: 2 ** 52, limit: 9, preview: 9, memoriesOnly: true };
      await opened.memories.list(organizationId, { filter, includeDeleted, order, ...bounds });
    }
  }
}

/** Uses queries that depend on the number of memories and on their values. */
async function useMany(opened: SqliteStore): Promise<void> {
  const organizationId = await anOrganization(opened);
  const metadata = { kind: 'a', long: 'x'.repeat(2_000) };
  const given = Array.from({ length: 260 }, (_, n) => ({ embedding: atCosine(n / 260), metadata }));
  const [first, another] = await store(opened, organizationId, ...given);
  const scope = { filter: FILTERS[1]!, includeDeleted: false };
  const recency = { weight: 1, halflifeDays: 1, now: first!.createdAt };
  for (const filter of FILTERS.slice(0, 2)) {
    await opened.memories.nearest(organizationId, { ...scope, filter, vector: NORTH, limit: 9, recency });
    await opened.memories.nearest(organizationId, { ...scope, filter, vector: NORTH, limit: 9, exact: true });
  }
  await opened.memories.list(organizationId, { ...scope, order: 'oldest', limit: 9, since: 2 ** 52 });
  await opened.memories.stats(organizationId, { ...scope, facets: ['long'], valuesPerFacet: 9 });
  await change(opened, await softDelete(opened, first!), { deletedAt: undefined });
  await softDelete(opened, another!);
  await opened.transact(organizationId, async (unit) => unit.purge(another!.id, await unit.tick()));
}

/** Changes memories while searches wait for scan threads. */
export async function useWhileScanning(opened: SqliteStore, threads: TestThreads): Promise<void> {
  const organizationId = await anOrganization(opened);
  const [first] = await store(opened, organizationId, ...Array.from({ length: 260 }, () => ({})));
  for (const includeDeleted of [false, true]) {
    await threads.during(
      () => opened.memories.nearest(organizationId, { filter: FILTERS[0]!, includeDeleted, vector: NORTH, limit: 9 }),
      () => change(opened, first!, { metadata: { kind: 'b' } }),
    );
  }
}

/** Searches by words in an organization that is too large to read all memories with a word to count them. */
export async function useManyWords(opened: SqliteStore): Promise<void> {
  const organizationId = await anOrganization(opened);
  const content = Array.from({ length: 1_700 }, (_, n) => `n${n}`).join(' ');
  const contents = Array.from({ length: 64 }, (_, n) => ({ content: `${content} m${n}` }));
  await store(opened, organizationId, ...contents);
  await opened.memories.matching(organizationId, { filter: FILTERS[0]!, includeDeleted: false, text: 'n1', limit: 9 });
}

/** Searches for a memory with the same fold. */
export async function useFolds(opened: SqliteStore): Promise<void> {
  const organizationId = await anOrganization(opened);
  await store(opened, organizationId, { content: 'Same' });
  await opened.transact(organizationId, (unit) => unit.findActiveByFold({}, indexedBy({ content: 'Same' })));
}

/** Changes memories while their index is not resident, so loading it must apply those changes. */
export async function useWithoutIndex(opened: SqliteStore): Promise<void> {
  await opened.accounts.embeddedOtherwise('other|model|8');
  for (const organizationId of await opened.accounts.organizationIds()) {
    const query = { filter: FILTERS[0]!, includeDeleted: false, order: 'oldest', limit: 2 } as const;
    const [one, other] = await opened.memories.list(organizationId, query);
    if (one) await change(opened, one, { metadata: { kind: 'b' } });
    if (other) await softDelete(opened, other);
  }
}
