import type { Usage } from '../../../ports/usage-meter.js';
import type { Collections } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import type { OrganizationHold } from '../engine/organization-hold.js';
import { type PlannedWrites, planned } from '../engine/unit-writer.js';

/** Returns the id of a count. Each kind has its own document, so that searches do not conflict with writes. */
export function usageId(organizationId: string, period: string, kind: keyof Usage): string {
  return compoundId(organizationId, period, kind);
}

/** Matches the counts of an organization in all periods. */
export function ofOrganization(organizationId: string): { _id: { $gte: string; $lt: string } } {
  // The character after the space that separates the parts of an id.
  return { _id: { $gte: compoundId(organizationId, ''), $lt: `${organizationId}!` } };
}

export async function readUsage(
  { usage }: Pick<Collections, 'usage'>,
  organizationId: string,
  period: string,
): Promise<Usage> {
  const ids = { ingest: usageId(organizationId, period, 'ingest'), search: usageId(organizationId, period, 'search') };
  const found = await usage.find({ _id: { $in: Object.values(ids) } }).toArray();
  const countOf = (id: string) => found.find(({ _id }) => _id === id)?.count ?? 0;
  return { ingest: countOf(ids.ingest), search: countOf(ids.search) };
}

/**
 * The ingest counts of one transaction. Nobody else counts ingests while it holds the organization, so each count
 * is read and written once.
 */
export class IngestCounts {
  readonly #usage: Collections['usage'];
  readonly #hold: OrganizationHold;
  /** Counts by period. The earlier count is only read if it is needed. */
  readonly #counts = new Map<string, { before: number | undefined; added: number }>();

  constructor({ usage }: Pick<Collections, 'usage'>, hold: OrganizationHold) {
    this.#usage = usage;
    this.#hold = hold;
  }

  /** True if some counts are not in the database yet. */
  get isPending(): boolean {
    return [...this.#counts.values()].some(({ added }) => added !== 0);
  }

  /** Records the count of a period before the unit. */
  learn(period: string, before: number): void {
    this.#countOf(period).before ??= before;
  }

  async of(period: string): Promise<number> {
    const count = this.#countOf(period);
    count.before ??= await this.#read(period);
    return count.before + count.added;
  }

  async add(period: string, amount: number, cap?: number): Promise<boolean> {
    if (cap !== undefined && (await this.of(period)) + amount > cap) return false;
    this.#countOf(period).added += amount;
    return true;
  }

  /** Returns the writes of the counts. */
  planned(): PlannedWrites {
    const added = [...this.#counts].filter(([, count]) => count.added !== 0);
    const updates = added.map(([period, count]) => ({
      updateOne: {
        filter: { _id: usageId(this.#hold.id, period, 'ingest') },
        update: { $inc: { count: count.added } },
        upsert: true,
      },
    }));
    return planned(this.#usage, updates);
  }

  async #read(period: string): Promise<number> {
    const _id = usageId(this.#hold.id, period, 'ingest');
    const found = await this.#usage.findOne({ _id }, { session: await this.#hold.session() });
    return found?.count ?? 0;
  }

  #countOf(period: string): { before: number | undefined; added: number } {
    const known = this.#counts.get(period);
    if (known) return known;
    const count = { before: undefined, added: 0 };
    this.#counts.set(period, count);
    return count;
  }
}
