import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../domain/account/caller.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { dayOf } from '../../domain/billing/usage-day.js';
import { invalid } from '../../domain/invalid.js';
import type { Memory } from '../../domain/memory/memory.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import { ConflictError, NotFoundError, ServiceError } from '../../errors.js';
import type { TextRow } from '../../ports/text-work.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { recordAudit } from '../audit/record-audit.js';
import { expectedCount, IngestMeter, ingestsLeft } from '../billing/ingest-meter.js';
import { type Quota, quotaOf } from '../billing/quota.js';
import { afterWrite } from '../memories/after-write.js';
import { claimVectors, requireEmbedder } from '../memories/embedding.js';
import { assertNotErasing } from '../memories/erasing.js';
import { expireDue } from '../memories/expire.js';
import { readSettings } from '../organization/settings.js';
import { type Arrival, checkArrival, checkVersion, type ImportInput, type VersionInput } from './arrival.js';
import { assertBatchSize, MissingVectorError, undoneWithoutVectors } from './batch.js';
import { indexContent, newMemory } from './draft.js';
import { NewContents } from './new-contents.js';
import { type WriteDeps, writeEmbedding } from './write.js';

/** An item of an import, checked against the schema. */
export type ImportItem = { input: ImportInput } | { version: VersionInput } | { refused: ServiceError };

export type ImportResult = { index: number } & (
  | { id: string; outcome: 'created' | 'present' | 'not_kept' }
  | { error: ServiceError }
);

type Checked = { arrival: Arrival } | { version: MemoryVersion } | { error: ServiceError };

type Prepared = { index: number } & Checked;

/**
 * Stores memories with their ids and times from elsewhere, and their earlier versions, all in one transaction. An
 * item that is rejected does not affect the others.
 *
 * @throws {PayloadTooLargeError} `batch_too_large`
 * @throws {EmbeddingUnavailableError} with nothing stored
 */
export async function importMemories(
  deps: WriteDeps,
  caller: Caller,
  items: readonly ImportItem[],
): Promise<ImportResult[]> {
  assertBatchSize(deps, items.length);
  const settings = await readSettings(deps, caller);
  requireEmbedder(deps, settings);
  await expireDue(deps, { ...caller, settings });
  const quota = await quotaOf(deps, caller);

  const prepared: Prepared[] = [];
  const row = deps.texts.row(caller.organizationId);
  for (const [index, item] of items.entries()) {
    prepared.push({ index, ...(await check(deps, settings, item, row)) });
    await setImmediate();
  }
  const arrivals = prepared.flatMap((entry) => ('arrival' in entry ? [entry.arrival] : []));
  const contents = new NewContents();
  const { organizationId } = caller;
  const wanted = await withoutVector(deps, caller, arrivals, quota);
  await contents.make(deps, { ...caller, settings }, { wanted, context: arrivals });
  return writeEmbedding(
    () =>
      undoneWithoutVectors(() =>
        deps.store.transact(organizationId, (unit) =>
          applyAll({ deps, caller, unit, contents, meter: new IngestMeter(unit, quota) }, prepared, quota),
        ),
      ),
    () => contents.make(deps, { organizationId }, { wanted: arrivals }),
  );
}

async function check(
  deps: WriteDeps,
  settings: OrganizationSettings,
  item: ImportItem,
  row: TextRow,
): Promise<Checked> {
  if ('refused' in item) return { error: item.refused };
  try {
    if ('version' in item) return { version: await checkVersion(deps, settings, item.version, row) };
    return { arrival: await checkArrival(deps, settings, item.input, row) };
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
}

/** Returns the memories that are probably new, as many as the quota allows. The transaction decides. */
async function withoutVector(
  deps: WriteDeps,
  { organizationId }: Caller,
  arrivals: readonly Arrival[],
  quota: Quota,
): Promise<Arrival[]> {
  const { memories } = deps.store;
  const ids = arrivals.flatMap(({ id }) => id ?? []);
  const areStored = await memories.areStored(organizationId, ids);
  const stored = new Set(ids.filter((_, at) => areStored[at]));
  const active = await memories.areActive(organizationId, arrivals);
  const wanted = arrivals.filter(({ id }, at) => (id === undefined ? !active[at] : !stored.has(id)));
  return wanted.slice(0, await ingestsLeft(deps, organizationId, quota));
}

/** Everything that the items of one request share. */
interface ImportWrite {
  deps: WriteDeps;
  caller: Caller;
  unit: UnitOfWork;
  meter: IngestMeter;
  contents: NewContents;
}

async function applyAll(write: ImportWrite, prepared: readonly Prepared[], quota: Quota): Promise<ImportResult[]> {
  const { deps, caller, unit } = write;
  const arrivals = prepared.flatMap((entry) => ('arrival' in entry ? [entry.arrival] : []));
  const ids = prepared.flatMap((entry) => idOf(entry) ?? []);
  await unit.expect?.({ ids, writes: arrivals, ...expectedCount(quota) });
  const batchId = deps.newId();
  const results: ImportResult[] = [];
  for (const entry of prepared) results.push(await applyItem(write, entry, batchId));
  const created = results.filter((result) => 'outcome' in result && result.outcome === 'created').length;
  if (created > 0) {
    const metadata = { ok: created, failed: results.filter((result) => 'error' in result).length };
    await recordAudit(deps, unit, caller, { action: 'memory.batch', batchId, metadata });
  }
  return results;
}

function idOf(entry: Prepared): string | undefined {
  if ('arrival' in entry) return entry.arrival.id;
  return 'version' in entry ? entry.version.memoryId : undefined;
}

async function applyItem(write: ImportWrite, entry: Prepared, batchId: string): Promise<ImportResult> {
  const { index } = entry;
  if ('error' in entry) return { index, error: entry.error };
  try {
    if ('version' in entry) {
      return { index, id: entry.version.memoryId, outcome: await storeVersion(write.unit, entry.version) };
    }
    const { arrival } = entry;
    assertNotErasing(await write.unit.settings(), arrival.subjectKey);
    const present = await findPresent(write.unit, arrival);
    if (present) return { index, id: present.id, outcome: 'present' };
    const memory = await store(write, arrival);
    await record(write, memory, batchId);
    return { index, id: memory.id, outcome: 'created' };
  } catch (error) {
    // An item is rejected before it writes anything, so the unit continues without it.
    if (error instanceof ServiceError) return { index, error };
    throw error;
  }
}

/**
 * Stores an earlier version of a memory, after those that it already has.
 *
 * @throws {NotFoundError} if the memory does not exist
 * @throws {UnprocessableError} if its times contradict those of the memory
 */
async function storeVersion(unit: UnitOfWork, version: MemoryVersion): Promise<'created' | 'present' | 'not_kept'> {
  const { memoryId, number, replacedAt } = version;
  const memory = await unit.findById(memoryId);
  if (!memory) throw new NotFoundError();
  const settings = await unit.settings();
  assertNotErasing(settings, memory.subjectKey, version.subjectKey);

  const count = await unit.countVersions(memoryId);
  if (number <= count) return (await unit.findVersion(memoryId, number)) ? 'present' : 'not_kept';
  const last = count === 0 ? undefined : await unit.findLastVersion(memoryId);
  if (last && replacedAt <= last.replacedAt) throw invalid('replacedAt', 'must be after that of the last version');
  if (replacedAt > memory.updatedAt) throw invalid('replacedAt', 'must not be after the last change of the memory');
  if (settings.keptVersions === 0) return 'not_kept';
  await unit.insertVersion(version);
  return 'created';
}

/**
 * Returns the stored memory of an import: the one with its id. Without an id, the active one with its content.
 *
 * @throws {ConflictError} if another memory has its content, its key, or its id
 */
async function findPresent(unit: UnitOfWork, arrival: Arrival): Promise<Memory | undefined> {
  const { id, externalKey, scope } = arrival;
  const named = id === undefined ? undefined : await unit.findById(id);
  if (named && named.content !== arrival.content)
    throw conflict('content_conflict', 'The memory has other content', named);
  if (named || arrival.deletedAt !== undefined) return named;

  const keyed = externalKey === undefined ? undefined : await unit.findByExternalKey(externalKey, scope);
  const active = keyed?.deletedAt === undefined ? keyed : undefined;
  const isDistinct = arrival.dedupe === 'off';
  const holder = isDistinct ? undefined : await unit.findActiveByContent(arrival, arrival.contentHash);
  const same = active?.distinct && active.content === arrival.content ? active : holder;
  const isSame = id === undefined && same !== undefined && (externalKey === undefined || same.id === active?.id);
  if (isSame) return same;
  if (holder) throw conflict('content_conflict', 'Another memory has exactly this content', holder);
  if (active) throw conflict('external_key_conflict', 'Another memory has this externalKey and scope', active);
  return undefined;
}

function conflict(code: 'content_conflict' | 'external_key_conflict', message: string, { id }: Memory): ConflictError {
  return new ConflictError(code, message, id);
}

async function store({ deps, unit, meter, contents }: ImportWrite, arrival: Arrival): Promise<Memory> {
  await meter.assertLeft();
  if (arrival.deletedAt === undefined) await meter.storage.assertRoom(undefined, arrival);
  const made = contents.of(arrival);
  const embedded = made && (await claimVectors(deps, unit, made.vectors));
  if (!embedded) throw new MissingVectorError('an item needs a vector');
  await meter.count();

  const { id, deletedAt } = arrival;
  const times = await timesOf(unit, arrival);
  const memory: Memory = {
    ...newMemory(deps, unit.organizationId, arrival, times.createdAt),
    ...(id !== undefined && { id }),
    ...times,
    ...(deletedAt !== undefined && { deletedAt }),
  };
  await unit.insert(memory, indexContent(made.read, embedded), { isForeign: id !== undefined });
  return memory;
}

/** Returns the times to store. Followers of the feed would miss a change before the organization's clock. */
async function timesOf(unit: UnitOfWork, arrival: Arrival): Promise<Pick<Memory, 'createdAt' | 'updatedAt'>> {
  const from = arrival.createdAt ?? arrival.deletedAt ?? arrival.updatedAt;
  const createdAt = from === undefined ? undefined : await unit.freeTime(from);
  const wanted = Math.max(arrival.updatedAt ?? 0, createdAt ?? 0);
  const isKept = arrival.updatedAt !== undefined && (await unit.advance(wanted));
  const updatedAt = isKept ? wanted : await unit.tick();
  return { createdAt: createdAt ?? updatedAt, updatedAt };
}

async function record({ deps, caller, unit }: ImportWrite, memory: Memory, batchId: string): Promise<void> {
  const action = 'memory.import';
  if (memory.deletedAt === undefined) {
    const written = { memory, outcome: 'created' } as const;
    return afterWrite(deps, unit, caller, { action, written, metadata: memory.metadata, batchId });
  }
  await recordAudit(deps, unit, caller, { action, memoryId: memory.id, batchId, metadata: { outcome: 'created' } });
  await unit.countDaily(dayOf(deps.now()), 'stored');
}
