import { DAILY_KINDS, type DailyKind, type DailyUsage, unused } from '../../../domain/billing/usage-day.js';
import type { Collections, DailyUsageDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import { guarded, translated } from '../engine/errors.js';
import { notWritten } from './not-written.js';

type Counts = Pick<DailyUsageDocument, 'org' | 'day'> & { counts: Partial<Record<DailyKind, number>> };

/** The counts by day that this process has not written yet, and those of the database. */
export class DailyCounts {
  readonly #collection: Collections['dailyUsage'];
  #pending = new Map<string, Counts>();

  constructor({ dailyUsage }: Pick<Collections, 'dailyUsage'>) {
    this.#collection = dailyUsage;
  }

  add(org: string, day: string, added: Counts['counts']): void {
    const id = compoundId(org, day);
    const counts = { ...this.#pending.get(id)?.counts };
    for (const kind of DAILY_KINDS) if (added[kind]) counts[kind] = (counts[kind] ?? 0) + added[kind];
    this.#pending.set(id, { org, day, counts });
  }

  /** Writes the pending counts. Those that could not be written stay pending. */
  async write(): Promise<void> {
    const pending = [...this.#pending.values()];
    if (pending.length === 0) return;
    this.#pending = new Map();
    const updates = pending.map(({ org, day, counts }) => ({
      updateOne: {
        filter: { _id: compoundId(org, day) },
        update: { $inc: counts, $setOnInsert: { org, day } },
        upsert: true,
      },
    }));
    try {
      await this.#collection.bulkWrite(updates, { ordered: false });
    } catch (error) {
      for (const { org, day, counts } of notWritten(error, pending)) this.add(org, day, counts);
      throw translated(error);
    }
  }

  async from(org: string, day: string): Promise<DailyUsage[]> {
    const options = { sort: { day: 1 } } as const;
    const found = await guarded(() => this.#collection.find({ org, day: { $gte: day } }, options).toArray());
    return found.map(({ _id, org: _, ...counts }) => ({ ...unused(counts.day), ...counts }));
  }

  async forgetBefore(day: string): Promise<void> {
    await guarded(() => this.#collection.deleteMany({ day: { $lt: day } }));
  }
}
