import type { DailyKind, DailyUsage } from '../../../domain/billing/usage-day.js';
import type { Usage, UsageMeter } from '../../../ports/usage-meter.js';
import type { Collections } from '../engine/collections.js';
import { guarded, isDuplicateKey, translated } from '../engine/errors.js';
import { DailyCounts } from './daily-counts.js';
import { notWritten } from './not-written.js';
import { readUsage, usageId } from './usage-counts.js';

const FLUSH_DELAY_MS = 1_000;

/** Counts searches and days in memory and writes them once a second. Searches under a cap are written at once. */
export class MongoUsageMeter implements UsageMeter {
  readonly #collections: Pick<Collections, 'usage' | 'organizations'>;
  /** Organizations known to exist. Another process may have deleted one, but no caller reaches it then. */
  readonly #known = new Set<string>();
  /** Counts that are not written yet, by id. */
  #searches = new Map<string, number>();
  readonly #days: DailyCounts;
  #timer: NodeJS.Timeout | undefined;
  /** The last queued operation. Reads and writes take turns, since a count being written is in neither place. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(collections: Pick<Collections, 'usage' | 'dailyUsage' | 'organizations'>) {
    this.#collections = collections;
    this.#days = new DailyCounts(collections);
  }

  countSearch(organizationId: string, period: string): void {
    this.#add(usageId(organizationId, period, 'search'), 1);
  }

  async takeSearch(organizationId: string, period: string, cap: number): Promise<boolean> {
    return guarded(async () => {
      if (cap < 1 || !(await this.#exists(organizationId))) return false;
      const _id = usageId(organizationId, period, 'search');
      const took = await this.#takeBelow(_id, cap, true).catch((error: unknown) => {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      });
      if (took && took.matchedCount + took.upsertedCount > 0) return true;
      // The count exists: it is at its cap, or another process just created it.
      return (await this.#takeBelow(_id, cap, false)).matchedCount > 0;
    });
  }

  async giveBackSearch(organizationId: string, period: string): Promise<void> {
    const _id = usageId(organizationId, period, 'search');
    await guarded(() => this.#collections.usage.updateOne({ _id }, { $inc: { count: -1 } }));
  }

  async read(organizationId: string, period: string): Promise<Usage> {
    if (!(await guarded(() => this.#exists(organizationId)))) return { ingest: 0, search: 0 };
    return this.#inTurn(async () => {
      const { ingest, search } = await guarded(() => readUsage(this.#collections, organizationId, period));
      return { ingest, search: search + (this.#searches.get(usageId(organizationId, period, 'search')) ?? 0) };
    });
  }

  countDaily(organizationId: string, day: string, kind: DailyKind): void {
    this.#days.add(organizationId, day, { [kind]: 1 });
    this.#flushSoon();
  }

  async days(organizationId: string, from: string): Promise<DailyUsage[]> {
    return this.#inTurn(async () => {
      await this.#days.write();
      return this.#days.from(organizationId, from);
    });
  }

  async forgetDaysBefore(day: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#days.write();
      await this.#days.forgetBefore(day);
    });
  }

  async storedBytes(organizationId: string): Promise<number> {
    const counted = { projection: { bytes: 1 } };
    const found = await guarded(() => this.#collections.organizations.findOne({ _id: organizationId }, counted));
    return found?.bytes ?? 0;
  }

  /** Drops what is known of an organization that was deleted. Its pending counts are written, and removed later. */
  forget(organizationId: string): void {
    this.#known.delete(organizationId);
  }

  /** Writes the pending counts. */
  async flush(): Promise<void> {
    this.stop();
    this.#timer = undefined;
    await this.#inTurn(async () => {
      await this.#write();
      await this.#days.write();
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #takeBelow(_id: string, cap: number, upsert: boolean) {
    return this.#collections.usage.updateOne({ _id, count: { $lt: cap } }, { $inc: { count: 1 } }, { upsert });
  }

  async #exists(organizationId: string): Promise<boolean> {
    if (this.#known.has(organizationId)) return true;
    const { organizations } = this.#collections;
    const found = await organizations.findOne({ _id: organizationId }, { projection: { _id: 1 } });
    if (found) this.#known.add(organizationId);
    return found !== null;
  }

  #add(id: string, count: number): void {
    this.#searches.set(id, (this.#searches.get(id) ?? 0) + count);
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Counts that could not be written are retried with the next search.
      this.flush().catch(() => {});
    }, FLUSH_DELAY_MS).unref();
  }

  async #write(): Promise<void> {
    const counts = this.#searches;
    if (counts.size === 0) return;
    this.#searches = new Map();
    const updates = Array.from(counts, ([_id, count]) => ({
      updateOne: { filter: { _id }, update: { $inc: { count } }, upsert: true },
    }));
    try {
      await this.#collections.usage.bulkWrite(updates, { ordered: false });
    } catch (error) {
      for (const [id, count] of notWritten(error, [...counts])) this.#add(id, count);
      throw translated(error);
    }
  }
}
