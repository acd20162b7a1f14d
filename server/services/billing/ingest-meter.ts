import type { Deps } from '../../deps.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { QuotaExceededError } from '../../errors.js';
import type { Expected, UnitOfWork } from '../../ports/store.js';
import type { Quota } from './quota.js';
import { StorageMeter } from './storage-meter.js';

/** Counts the ingests of one unit of work against the cap of the month (part 8), and what they store. */
export class IngestMeter {
  readonly storage: StorageMeter;

  constructor(
    private readonly unit: Pick<UnitOfWork, 'countIngest' | 'ingested' | 'storedBytes'>,
    private readonly quota: Quota,
  ) {
    this.storage = new StorageMeter(unit, quota);
  }

  /**
   * Counts one, which belongs immediately before what it stands for is
   * written: what is refused has then written nothing.
   *
   * @throws {QuotaExceededError}
   */
  async count(): Promise<void> {
    const { period, ingestCap } = this.quota;
    if (!(await this.unit.countIngest(period.key, 1, ingestCap))) throw quotaExceeded(this.quota);
  }

  /**
   * Goes before a refusal for what is stored, and before work for a write that
   * would count: the quota comes first.
   *
   * @throws {QuotaExceededError}
   */
  async assertLeft(): Promise<void> {
    const { period, ingestCap } = this.quota;
    if (ingestCap === undefined) return;
    if ((await this.unit.ingested(period.key)) >= ingestCap) throw quotaExceeded(this.quota);
  }
}

/** What a unit of work that counts ingests tells to expect. */
export function expectedCount({ period, ingestCap }: Quota): Pick<Expected, 'period'> {
  return ingestCap === undefined ? {} : { period: period.key };
}

/** How many ingests are left, before the unit that decides. Infinite where there is no cap. */
export async function ingestsLeft(
  { store }: Pick<Deps, 'store'>,
  organizationId: string,
  { period, ingestCap }: Quota,
): Promise<number> {
  if (ingestCap === undefined) return Number.POSITIVE_INFINITY;
  const { ingest } = await store.usage.read(organizationId, period.key);
  return Math.max(0, ingestCap - ingest);
}

function quotaExceeded({ period }: Quota): QuotaExceededError {
  return new QuotaExceededError('ingests', formatTimestamp(period.endsAt));
}
