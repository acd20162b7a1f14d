import type { Deps } from '../../deps.js';
import { addCounts, type Erasure, type ErasureCounts, extendDigest } from '../../domain/memory/erasure.js';
import type { Memory, SubjectKey } from '../../domain/memory/memory.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { announce } from '../outbound/outbound-events.js';
import { removeWaitingMemories } from './waiting-memories.js';

/** Memories that one unit of work removes: few, so that other writers wait a short time. */
const MAX_REMOVED_PER_UNIT = 20;
/** More than an organization may keep of a memory. */
const MAX_VERSIONS = 1_000;
/** Units of work of one attempt. Other erasures run in between. */
const MAX_UNITS = 50;

type EraseDeps = Pick<Deps, 'store' | 'secretBox' | 'now' | 'newId'>;

/** A running erasure. */
interface Running {
  organizationId: string;
  id: string;
  subjectKey: SubjectKey;
}

/**
 * Continues an erasure from where it stopped. It is safe to run again after a process ended in the middle.
 *
 * @returns the delay before the next call, if more remains
 */
export async function goOnErasing(
  deps: EraseDeps,
  organizationId: string,
  id: string,
): Promise<{ retryAfterMs: number } | undefined> {
  const erasure = await deps.store.erasures.find(organizationId, id);
  if (!erasure || erasure.status === 'done' || erasure.status === 'failed') return undefined;

  const { subjectKey } = erasure;
  if (subjectKey !== undefined) {
    const running = { organizationId, id, subjectKey };
    await removeWaiting(deps, running);
    if (!(await removeStored(deps, running))) return { retryAfterMs: 0 };
    await settle(deps, running, 'cleaning');
  }
  const pause = await deps.store.scrub(organizationId);
  if (pause) return pause;
  const finishedAt = deps.now();
  await deps.store.transact(organizationId, (unit) => change(unit, id, { status: 'done', finishedAt }));
  return undefined;
}

/** Ends an erasure that was given up. Writes about its subject are accepted again. */
export async function failErasure(deps: EraseDeps, organizationId: string, id: string): Promise<void> {
  const subjectKey = (await deps.store.erasures.find(organizationId, id))?.subjectKey;
  if (subjectKey !== undefined) return settle(deps, { organizationId, id, subjectKey }, 'failed');
  await deps.store.transact(organizationId, (unit) => change(unit, id, { status: 'failed' }));
}

/** Removes memories of the subject from queued deliveries. */
async function removeWaiting(deps: EraseDeps, { organizationId, id, subjectKey }: Running): Promise<void> {
  const keys = await keysOf(deps, organizationId, subjectKey);
  if (keys.size === 0) return;
  await removeWaitingMemories(
    deps,
    organizationId,
    (memory) => keys.has(keyOf(memory)),
    (unit, inboundMemories) => change(unit, id, {}, { inboundMemories }),
  );
}

async function keysOf({ store }: EraseDeps, organizationId: string, subjectKey: SubjectKey): Promise<Set<string>> {
  const keys = new Set<string>();
  let after: { at: number; id: string } | undefined;
  for (;;) {
    const memories = await store.memories.list(organizationId, {
      ...everythingAbout(subjectKey),
      limit: MAX_REMOVED_PER_UNIT,
      ...(after && { after }),
    });
    for (const memory of memories) if (memory.externalKey !== undefined) keys.add(keyOf(memory));
    const last = memories.at(-1);
    if (!last) return keys;
    after = { at: last.createdAt, id: last.id };
  }
}

/** Reports if nothing is left. */
async function removeStored(deps: EraseDeps, running: Running): Promise<boolean> {
  for (let units = 0; units < MAX_UNITS; units += 1) {
    const isMore = (await removeMemories(deps, running)) || (await removeVersions(deps, running));
    if (!isMore) return true;
  }
  return false;
}

async function removeMemories(deps: EraseDeps, { organizationId, id, subjectKey }: Running): Promise<boolean> {
  const query = { ...everythingAbout(subjectKey), limit: MAX_REMOVED_PER_UNIT };
  const memories = await deps.store.memories.list(organizationId, query);
  if (memories.length === 0) return false;
  await deps.store.transact(organizationId, async (unit) => {
    await unit.expect?.({ ids: memories.map((memory) => memory.id) });
    let erasure = await requireErasure(unit, id);
    for (const found of memories) {
      const memory = await unit.findById(found.id);
      if (memory?.subjectKey !== subjectKey) continue;
      const counts = await removeMemory(deps, unit, memory);
      erasure = {
        ...erasure,
        counts: addCounts(erasure.counts, counts),
        digest: extendDigest(erasure.digest, memory.id),
      };
    }
    await unit.erasures.save(erasure);
  });
  return true;
}

/** Removes a memory. Endpoints that do not know of its deletion get the event, without metadata. */
async function removeMemory(deps: EraseDeps, unit: UnitOfWork, memory: Memory): Promise<Partial<ErasureCounts>> {
  const { erasures, outbound } = unit;
  const { id } = memory;
  const deliveries = await erasures.countDeliveries(id);
  const pending = await outbound.deleteDeliveriesOf(id);
  const versions = await erasures.removeVersions({ memoryId: id }, MAX_VERSIONS);
  const auditEvents = await erasures.emptyAuditMetadata(id);
  const deleted = memory.deletedAt === undefined ? await softDelete(unit, memory) : memory;
  await unit.purge(id, await unit.tick());
  const untold = pending.flatMap(({ event, webhookId }) => (event === 'memory.deleted' ? [webhookId] : []));
  const told = { memory: { ...deleted, metadata: {} } };
  if (memory.deletedAt === undefined) await announce(deps, unit, told);
  else if (untold.length > 0) await announce(deps, unit, told, new Set(untold));
  return { memories: 1, versions: versions.length, deliveries, auditEvents };
}

async function softDelete(unit: UnitOfWork, memory: Memory): Promise<Memory> {
  const at = await unit.tick();
  const deleted = { ...memory, updatedAt: at, deletedAt: at };
  await unit.update(deleted);
  return deleted;
}

/** Removes versions about the subject from memories that are now about another one. */
async function removeVersions(deps: EraseDeps, { organizationId, id, subjectKey }: Running): Promise<boolean> {
  return deps.store.transact(organizationId, async (unit) => {
    const removed = await unit.erasures.removeVersions({ subjectKey }, MAX_REMOVED_PER_UNIT);
    if (removed.length === 0) return false;
    const erasure = await requireErasure(unit, id);
    let counts = addCounts(erasure.counts, { versions: removed.length });
    for (const memoryId of new Set(removed)) {
      counts = addCounts(counts, { deliveries: await unit.erasures.countDeliveries(memoryId) });
      const pending = await unit.outbound.deleteDeliveriesOf(memoryId);
      const memory = await unit.findById(memoryId);
      if (!memory || pending.length === 0) continue;
      const outcome = memory.deletedAt === undefined ? ({ outcome: 'updated' } as const) : {};
      await announce(deps, unit, { memory, ...outcome });
    }
    await unit.erasures.save({ ...erasure, counts });
    return true;
  });
}

/** Ends the erasure, so that writes about the subject are accepted again. */
async function settle(
  { store }: EraseDeps,
  { organizationId, id, subjectKey }: Running,
  status: 'cleaning' | 'failed',
): Promise<void> {
  await store.transact(organizationId, async (unit) => {
    const { subjectKey: _, ...erasure } = await requireErasure(unit, id);
    const { erasing = [], ...settings } = await unit.settings();
    const left = erasing.filter((key) => key !== subjectKey);
    await unit.saveSettings({ ...settings, ...(left.length > 0 && { erasing: left }) });
    await unit.erasures.save({ ...erasure, status });
  });
}

async function change(
  unit: UnitOfWork,
  id: string,
  changed: Partial<Erasure>,
  more: Partial<ErasureCounts> = {},
): Promise<void> {
  const erasure = await requireErasure(unit, id);
  await unit.erasures.save({ ...erasure, ...changed, counts: addCounts(erasure.counts, more) });
}

async function requireErasure({ erasures }: UnitOfWork, id: string): Promise<Erasure> {
  const erasure = await erasures.find(id);
  if (!erasure) throw new Error(`There is no erasure ${id}`);
  return erasure;
}

function everythingAbout(subjectKey: SubjectKey) {
  return { filter: { metadata: [], subjectKey }, includeDeleted: true, order: 'oldest' } as const;
}

function keyOf({
  externalKey = '',
  scope,
}: Pick<Memory, 'externalKey'> & { scope?: Partial<Memory['scope']> }): string {
  return JSON.stringify([externalKey, scope?.source ?? '', scope?.project ?? '']);
}
