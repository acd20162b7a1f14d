import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import type { Usage, UsageMeter } from '../../ports/store.js';
import type { Collections, UsageDocument } from './collections.js';
import { guarded } from './errors.js';

const WRITTEN_AFTER_MS = 1_000;

interface Counted {
  organizationId: string;
  period: string;
  count: number;
}

/** Counts searches in memory, and writes them once a second. */
export class MongoUsageMeter implements UsageMeter {
  readonly #collections: Pick<Collections, 'usage'>;
  #searches = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(collections: Pick<Collections, 'usage'>) {
    this.#collections = collections;
  }

  countSearch(organizationId: string, period: string): void {
    const key = usageId(organizationId, period);
    const counted = this.#searches.get(key);
    if (counted) counted.count += 1;
    else this.#searches.set(key, { organizationId, period, count: 1 });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Counts that could not be written wait for the next second.
      this.flush().catch(() => {});
    }, WRITTEN_AFTER_MS).unref();
  }

  async read(organizationId: string, period: string): Promise<Usage> {
    const _id = usageId(organizationId, period);
    await this.#writing;
    const stored = await guarded(() => this.#collections.usage.findOne({ _id }));
    const waiting = this.#searches.get(_id)?.count ?? 0;
    return { ingest: stored?.ingest ?? 0, search: (stored?.search ?? 0) + waiting };
  }

  /** Writes the counts that wait. */
  async flush(): Promise<void> {
    const before = this.#writing;
    const writing = before.then(() => this.#write());
    this.#writing = writing.catch(() => {});
    await writing;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    const counts = this.#searches;
    if (counts.size === 0) return;
    this.#searches = new Map();
    try {
      await guarded(() => this.#collections.usage.bulkWrite([...counts.values()].map(toUpdate), { ordered: false }));
    } catch (error) {
      for (const [key, counted] of counts) this.#putBack(key, counted);
      throw error;
    }
  }

  #putBack(key: string, counted: Counted): void {
    const waiting = this.#searches.get(key)?.count ?? 0;
    this.#searches.set(key, { ...counted, count: counted.count + waiting });
  }
}

/** Adds to the counts of a period, in a transaction. */
export async function addUsage(
  { usage }: Pick<Collections, 'usage'>,
  organizationId: string,
  period: string,
  { ingest = 0, search = 0 }: Partial<Usage>,
  session: ClientSession,
): Promise<void> {
  const { filter, update, upsert } = increment(organizationId, period, { ingest, search });
  await usage.updateOne(filter, update, { session, upsert });
}

function toUpdate({ organizationId, period, count }: Counted): AnyBulkWriteOperation<UsageDocument> {
  return { updateOne: increment(organizationId, period, { ingest: 0, search: count }) };
}

function increment(organizationId: string, period: string, counts: Usage) {
  return {
    filter: { _id: usageId(organizationId, period) },
    update: { $inc: { ...counts }, $setOnInsert: { org: organizationId, period } },
    upsert: true,
  };
}

function usageId(organizationId: string, period: string): string {
  return `${organizationId} ${period}`;
}
