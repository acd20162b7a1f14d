import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import type { Written } from '../../domain/memory/memory.js';
import { PayloadTooLargeError, QuotaExceededError, ServiceError } from '../../errors.js';
import type { TextRow } from '../../ports/text-work.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { recordAudit } from '../audit/record-audit.js';
import { expectedCount, IngestMeter, ingestsLeft } from '../billing/ingest-meter.js';
import { type Quota, quotaOf } from '../billing/quota.js';
import { afterWrite } from '../memories/after-write.js';
import { requireEmbedder } from '../memories/embedding.js';
import { expireDue } from '../memories/expire.js';
import { readSettings } from '../organization/settings.js';
import { applyIngest } from './apply-ingest.js';
import { applyUpsert, type KeyedDraft } from './apply-upsert.js';
import { type Draft, draftMemory, expectedWrite, type MemoryInput, repeatedBy } from './draft.js';
import { NewContents, vectorKey } from './new-contents.js';
import { afterUpsert } from './upsert.js';
import { NEEDS_EMBEDDING, type WriteDeps, writeEmbedding } from './write.js';

/** An item of a batch. Items are checked against the schema one by one, so that an invalid one fails alone. */
export type BatchItem = { input: MemoryInput } | { refused: ServiceError };

export type BatchResult = { index: number } & ({ written: Written } | { error: ServiceError });

/** A checked item. */
type Prepared = { index: number } & ({ draft: Draft } | { error: ServiceError });

/**
 * Writes many memories in one transaction (section 4.3): items with an external key as upserts, the rest as ingests.
 * An item that is rejected does not affect the others. Without `continueOnError`, the first rejected item ends the
 * batch.
 *
 * @throws {PayloadTooLargeError} `batch_too_large`
 * @throws {QuotaExceededError} if the monthly cap of ingests has nothing left for any item
 * @throws {EmbeddingUnavailableError} with nothing stored
 */
export async function ingestBatch(
  deps: WriteDeps,
  caller: Caller,
  items: readonly BatchItem[],
  continueOnError: boolean,
): Promise<BatchResult[]> {
  assertBatchSize(deps, items.length);
  const settings = await readSettings(deps, caller);
  requireEmbedder(deps, settings);
  await expireDue(deps, { ...caller, settings });

  const quota = await quotaOf(deps, caller);

  const prepared = await prepare(deps, caller, settings, items, continueOnError);
  const contents = new NewContents();
  await makeMissing(deps, { ...caller, settings }, prepared, contents, quota);

  const write = () =>
    deps.store.transact(caller.organizationId, (unit) =>
      applyAll({ deps, caller, unit, quota, contents }, prepared, continueOnError),
    );
  const results = await writeEmbedding(
    () => undoneWithoutVectors(write),
    () => contents.make(deps, { organizationId: caller.organizationId }, { wanted: drafts(prepared) }),
  );
  assertAnyLeft(results);
  return results;
}

/** Thrown if an item needs a vector that was not made, so that the transaction keeps none of the items before it. */
export class MissingVectorError extends Error {
  override name = 'MissingVectorError';
}

export async function undoneWithoutVectors<T>(write: () => Promise<T>): Promise<T | typeof NEEDS_EMBEDDING> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof MissingVectorError) return NEEDS_EMBEDDING;
    throw error;
  }
}

/** Rejects the whole request, like a single one, if the cap left nothing for any item. */
function assertAnyLeft(results: readonly BatchResult[]): void {
  const [first] = results;
  const isOver = (result: BatchResult) => 'error' in result && result.error instanceof QuotaExceededError;
  if (first && 'error' in first && results.every(isOver)) throw first.error;
}

/** @throws {PayloadTooLargeError} `batch_too_large`, with the maximum in its message */
export function assertBatchSize({ limits }: Pick<Deps, 'limits'>, count: number): void {
  if (count <= limits.batchItems) return;
  throw new PayloadTooLargeError(
    'batch_too_large',
    `A batch holds at most ${limits.batchItems} items: send the rest in another batch`,
    limits.batchItems,
  );
}

async function prepare(
  deps: WriteDeps,
  caller: Caller,
  settings: OrganizationSettings,
  items: readonly BatchItem[],
  continueOnError: boolean,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  const row = deps.texts.row(caller.organizationId);
  for (const [index, item] of items.entries()) {
    const entry = await prepareItem(deps, settings, item, { row, caller });
    prepared.push({ index, ...entry });
    if ('error' in entry && !continueOnError) break;
  }
  return prepared;
}

async function prepareItem(
  deps: WriteDeps,
  settings: OrganizationSettings,
  item: BatchItem,
  { row, caller }: { row: TextRow; caller: Caller },
): Promise<{ draft: Draft } | { error: ServiceError }> {
  if ('refused' in item) return { error: item.refused };
  try {
    return { draft: await draftMemory(deps, settings, item.input, row, caller) };
  } catch (error) {
    if (error instanceof ServiceError) return { error };
    throw error;
  }
}

function drafts(prepared: readonly Prepared[]): Draft[] {
  return prepared.flatMap((entry) => ('draft' in entry ? [entry.draft] : []));
}

async function makeMissing(
  deps: WriteDeps,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  prepared: readonly Prepared[],
  contents: NewContents,
  quota: Quota,
): Promise<void> {
  const { organizationId } = caller;
  const missing = new Map<string, Draft>();
  const all = drafts(prepared);
  const stored = await deps.store.memories.areActive(organizationId, all.map(repeatedBy));
  for (const [at, draft] of all.entries()) {
    if (!stored[at]) missing.set(vectorKey(draft), draft);
  }
  // Items beyond the cap will be rejected.
  const wanted = [...missing.values()].slice(0, await ingestsLeft(deps, organizationId, quota));
  await contents.make(deps, caller, { wanted, context: all });
}

/** Everything that the items of one batch share. */
interface BatchWrite {
  deps: WriteDeps;
  caller: Caller;
  unit: UnitOfWork;
  quota: Quota;
  contents: NewContents;
}

async function applyAll(
  write: BatchWrite,
  prepared: readonly Prepared[],
  continueOnError: boolean,
): Promise<BatchResult[]> {
  const { deps, caller, unit, quota, contents } = write;
  const batchId = deps.newId();
  const meter = new IngestMeter(unit, quota);
  const results: BatchResult[] = [];
  const writes = drafts(prepared).map((draft) => expectedWrite(draft, contents.readOf(draft)));
  await unit.expect?.({ writes, ...expectedCount(quota) });
  for (const entry of prepared) {
    const result = await applyItem(write, meter, entry, batchId);
    results.push(result);
    if ('error' in result && !continueOnError) break;
  }
  const ok = results.filter((result) => 'written' in result).length;
  if (ok > 0) {
    const metadata = { ok, failed: results.length - ok };
    await recordAudit(deps, unit, caller, { action: 'memory.batch', batchId, metadata });
  }
  return results;
}

async function applyItem(
  { deps, caller, unit, contents }: BatchWrite,
  meter: IngestMeter,
  entry: Prepared,
  batchId: string,
): Promise<BatchResult> {
  const { index } = entry;
  if ('error' in entry) return { index, error: entry.error };

  const { draft } = entry;
  const made = contents.of(draft);
  try {
    const written = isKeyed(draft)
      ? await applyUpsert(deps, unit, draft, made, meter)
      : await applyIngest(deps, unit, draft, made, meter);
    if (written === NEEDS_EMBEDDING) throw new MissingVectorError('an item needs a vector');
    const { metadata } = draft;
    if (isKeyed(draft)) await afterUpsert(deps, unit, caller, { written, metadata, batchId });
    else await afterWrite(deps, unit, caller, { action: 'memory.ingest', written, metadata, batchId });
    return { index, written };
  } catch (error) {
    // An item is rejected before it writes anything, so the unit continues without it.
    if (error instanceof ServiceError) return { index, error };
    throw error;
  }
}

function isKeyed(draft: Draft): draft is KeyedDraft {
  return draft.externalKey !== undefined;
}
