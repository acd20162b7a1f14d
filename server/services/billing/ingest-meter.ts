import type { Deps } from '../../deps.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { QuotaExceededError } from '../../errors.js';
import type { Expected, UnitOfWork } from '../../ports/unit-of-work.js';
import type { Quota } from './quota.js';
import { StorageMeter } from './storage-meter.js';

/** Counts the ingests of one unit of work against the monthly cap (section 8), and the bytes that they store. */
export class IngestMeter {
  readonly storage: StorageMeter;

  constructor(
    private readonly unit: Pick<UnitOfWork, 'countIngest' | 'ingested' | 'storedBytes'>,
    private readonly quota: Quota,
  ) {
    this.storage = new StorageMeter(unit, quota);
  }

  /**
   * Counts one ingest. Call it immediately before the write, so that a rejected ingest has written nothing.
   *
   * @throws {QuotaExceededError}
   */
  async count(): Promise<void> {
    const { period, ingestCap } = this.quota;
    if (!(await this.unit.countIngest(period.key, 1, ingestCap))) throw quotaExceeded(this.quota);
  }

  /**
   * Rejects if no ingest is left. Call it before storage checks and before expensive work: the quota comes first.
   *
   * @throws {QuotaExceededError}
   */
  async assertLeft(): Promise<void> {
    const { period, ingestCap } = this.quota;
    if (ingestCap === undefined) return;
    if ((await this.unit.ingested(period.key)) >= ingestCap) throw quotaExceeded(this.quota);
  }
}

/** Returns what a unit of work that counts ingests has to declare. */
export function expectedCount({ period, ingestCap }: Quota): Pick<Expected, 'period'> {
  return ingestCap === undefined ? {} : { period: period.key };
}

/** Returns how many ingests are left, Infinity if there is no cap. Only the unit of work decides in the end. */
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
