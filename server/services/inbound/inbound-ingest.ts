import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type DeliveryCounts, type InboundDelivery, memoriesPlace } from '../../domain/inbound/inbound-delivery.js';
import type { MappedMemory } from '../../domain/inbound/mapped-event.js';
import type { Memory } from '../../domain/memory/memory.js';
import { NotFoundError, ServiceError } from '../../errors.js';
import { assertEntitled } from '../billing/entitlement.js';
import { ingestBatch } from '../writing/batch.js';
import { type KeyedInput, upsert } from '../writing/upsert.js';
import type { WriteDeps } from '../writing/write.js';

type IngestDeps = WriteDeps & Pick<Deps, 'secretBox' | 'rateLimiter' | 'metrics'>;

/** Codes of errors after which the rest of the delivery is dropped (section 5.5). */
const DROPPING = new Set(['entitlement_required', 'quota_exceeded']);

/** How a delivery ended. `retryAfterMs` is set if a limit postponed it. */
export type Ingested = { ended: 'processed' | 'failed' | 'gone' } | { retryAfterMs: number };

/**
 * Ingests the memories of a delivery under the same rules as an API request: limits, entitlement, scan, quota and
 * audit. It is idempotent.
 *
 * @throws {Error} if a later attempt may succeed, such as when content cannot be embedded
 */
export async function ingestDelivery(deps: IngestDeps, organizationId: string, key: string): Promise<Ingested> {
  const delivery = await deps.store.inbound.findDelivery(organizationId, key);
  if (delivery?.sealedMemories === undefined) return { ended: 'gone' };

  const turn = await deps.rateLimiter.consume('ingest', organizationId, delivery.webhookId);
  if (!turn.allowed) return { retryAfterMs: turn.resetMs };

  const memories = openMemories(deps, delivery, delivery.sealedMemories);
  const tally = await writeAll(deps, callerOf(delivery), memories);
  const failed = tally.dropped || (tally.counts.stored + tally.counts.skipped === 0 && tally.reason !== undefined);
  const state = failed ? 'failed' : 'processed';
  const isEnded = await finishDelivery(deps, delivery, state, {
    counts: { ...tally.counts, omitted: delivery.counts.omitted },
    ...(tally.reason !== undefined && { reason: tally.reason }),
  });
  return { ended: isEnded ? state : 'gone' };
}

/** Marks a delivery as failed after its job was given up. Its sender may send it again. */
export async function failDelivery(
  deps: Pick<Deps, 'store' | 'now' | 'metrics'>,
  organizationId: string,
  key: string,
  reason: string,
): Promise<void> {
  const delivery = await deps.store.inbound.findDelivery(organizationId, key);
  if (delivery) await finishDelivery(deps, delivery, 'failed', { reason });
}

/** Counts what happened to the memories of one delivery. */
class Tally {
  readonly counts: DeliveryCounts = { stored: 0, skipped: 0, rejected: 0, omitted: 0 };
  /** Why the first rejected memory was rejected. */
  reason: string | undefined;
  /** True if the rest of the delivery is dropped. */
  dropped = false;

  /**
   *
   * @param count how many memories the error is about
   * @throws {Error} the error itself, if a later attempt may succeed
   */
  refuse(error: unknown, count = 1): void {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    const { code } = error;
    // The organization deleted the memory, or another memory has its content.
    if (error instanceof NotFoundError || code === 'content_conflict') {
      this.counts.skipped += count;
      return;
    }
    this.counts.rejected += count;
    this.reason ??= code ?? error.name;
    if (code !== undefined && DROPPING.has(code)) {
      this.dropped = true;
      this.reason = code;
    }
  }
}

async function writeAll(deps: IngestDeps, caller: Caller, memories: readonly MappedMemory[]): Promise<Tally> {
  const tally = new Tally();
  try {
    await assertEntitled(deps, caller);
  } catch (error) {
    tally.refuse(error, memories.length);
    return tally;
  }
  const [only, ...others] = memories;
  if (only && others.length === 0) {
    await writeOne(deps, caller, only, tally);
    return tally;
  }
  const { batchItems } = deps.limits;
  for (let at = 0; at < memories.length; at += batchItems) {
    const batch = memories.slice(at, at + batchItems);
    if (tally.dropped) tally.counts.rejected += batch.length;
    else await writeSome(deps, caller, batch, tally);
  }
  return tally;
}

async function writeOne(deps: IngestDeps, caller: Caller, memory: MappedMemory, tally: Tally): Promise<void> {
  try {
    const { applied } = await upsertUnlessOutdated(deps, caller, memory);
    tally.counts[applied ? 'stored' : 'skipped'] += 1;
  } catch (error) {
    tally.refuse(error);
  }
}

async function writeSome(
  deps: IngestDeps,
  caller: Caller,
  memories: readonly MappedMemory[],
  tally: Tally,
): Promise<void> {
  try {
    const items = memories.map((memory) => ({ input: toInput(memory) }));
    for (const result of await ingestBatch(deps, caller, items, true)) {
      if ('error' in result) tally.refuse(result.error);
      else tally.counts.stored += 1;
    }
  } catch (error) {
    tally.refuse(error, memories.length);
  }
}

async function upsertUnlessOutdated(
  deps: IngestDeps,
  caller: Caller,
  memory: MappedMemory,
): Promise<{ applied: boolean }> {
  let applied = true;
  await upsert(deps, caller, toInput(memory), (current) => {
    applied = !isNewer(current, memory);
    return !applied;
  });
  return { applied };
}

/** Reports if the stored state is later: deliveries can arrive out of order. */
function isNewer({ metadata }: Memory, { changedAt }: MappedMemory): boolean {
  const { changedAt: stored } = metadata;
  if (typeof stored !== 'string' || changedAt === undefined) return false;
  return Date.parse(stored) > Date.parse(changedAt);
}

function toInput({ externalKey, scope, content, metadata }: MappedMemory): KeyedInput {
  return { externalKey, scope, content, metadata };
}

function openMemories(
  { secretBox }: Pick<Deps, 'secretBox'>,
  delivery: InboundDelivery,
  sealed: string,
): MappedMemory[] {
  return JSON.parse(secretBox.open(sealed, memoriesPlace(delivery))) as MappedMemory[];
}

/** Returns a caller with the abilities of an ingest token, in the name of the webhook. */
function callerOf({ organizationId, webhookId, requestId }: InboundDelivery): Caller {
  return {
    organizationId,
    actor: { type: 'webhook', id: webhookId },
    abilities: ['memory:ingest'],
    credentialId: webhookId,
    requestId,
    source: 'webhook',
  };
}

/** Reports if the delivery was still open. A job that lost its lock may have run beside this one and ended it. */
async function finishDelivery(
  { store, now, metrics }: Pick<Deps, 'store' | 'now' | 'metrics'>,
  { sealedMemories: _, ...delivery }: InboundDelivery,
  state: 'processed' | 'failed',
  result: Pick<InboundDelivery, 'reason'> & Partial<Pick<InboundDelivery, 'counts'>>,
): Promise<boolean> {
  const isEnded = await store.inbound.endDelivery({ ...delivery, state, finishedAt: now(), ...result });
  if (isEnded && state === 'failed') metrics.failedInboundWebhook(result.reason ?? 'unknown');
  return isEnded;
}
