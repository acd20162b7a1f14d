import { DAILY_KINDS, type DailyKind, type DailyUsage, unused } from '../../../domain/billing/usage-day.js';
import type { Usage, UsageMeter } from '../../../ports/usage-meter.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { addDaily, type DailyPlace, dailyKey, readDays } from './daily-rows.js';
import { PendingCounts } from './pending-counts.js';

const MAX_UNWRITTEN_MS = 1_000;

interface UsageWriting {
  /** Starts a commit, which calls `write` of the meter. */
  commit(): void;
  /** Runs work in a transaction of its own. */
  write(work: (writer: Connection) => void): Promise<void>;
}

/** Counts searches and days in memory, and writes them once a second: each commit would change their pages. */
export class SqliteUsageMeter implements UsageMeter {
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #commit: () => void;
  readonly #write: (work: (writer: Connection) => void) => Promise<void>;
  readonly #searches = new PendingCounts<{ org: number; period: string }>();
  readonly #days = new PendingCounts<DailyPlace>();
  #timer: NodeJS.Timeout | undefined;
  /** True if the next commit writes the waiting counts. */
  #isDue = false;
  #isStopped = false;

  constructor(reader: Connection, organizations: Organizations, { commit, write }: UsageWriting) {
    this.#reader = reader;
    this.#organizations = organizations;
    this.#commit = commit;
    this.#write = write;
  }

  countSearch(organizationId: string, period: string): void {
    const org = this.#organizations.keyOf(organizationId);
    if (org !== undefined) this.#add(org, period, 1);
  }

  /** Needs no lock: it checks and counts in one turn of the event loop, and no other process uses the database. */
  async takeSearch(organizationId: string, period: string, cap: number): Promise<boolean> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined || this.#usage(org, period).search >= cap) return false;
    this.#add(org, period, 1);
    return true;
  }

  async giveBackSearch(organizationId: string, period: string): Promise<void> {
    const org = this.#organizations.keyOf(organizationId);
    if (org !== undefined) this.#add(org, period, -1);
  }

  async read(organizationId: string, period: string): Promise<Usage> {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? { ingest: 0, search: 0 } : this.#usage(org, period);
  }

  async storedBytes(organizationId: string): Promise<number> {
    const org = this.#organizations.keyOf(organizationId);
    const sql = 'SELECT bytes FROM organizations WHERE key = ?';
    const row = org === undefined ? undefined : this.#reader.get<{ bytes: number }>(sql, org);
    return row?.bytes ?? 0;
  }

  countDaily(organizationId: string, day: string, kind: DailyKind): void {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return;
    this.#days.add(dailyKey({ org, day, kind }), { org, day, kind }, 1);
    this.#commitSoon();
  }

  async days(organizationId: string, from: string): Promise<DailyUsage[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const found = new Map(readDays(this.#reader, org, from).map((usage) => [usage.day, usage]));
    for (const place of this.#days.places()) {
      if (place.org === org && place.day >= from && !found.has(place.day)) found.set(place.day, unused(place.day));
    }
    const withPending = (usage: DailyUsage) => {
      const counts = DAILY_KINDS.map((kind) => [
        kind,
        usage[kind] + this.#days.of(dailyKey({ org, day: usage.day, kind })),
      ]);
      return { ...usage, ...Object.fromEntries(counts) };
    };
    return [...found.values()].map(withPending).sort((one, other) => (one.day < other.day ? -1 : 1));
  }

  async forgetDaysBefore(day: string): Promise<void> {
    this.#days.drop((place) => place.day < day);
    await this.#write((writer) => writer.run('DELETE FROM daily_usage WHERE day < ?', day));
  }

  /** Writes the waiting counts into the open transaction, if they are due. */
  write(writer: Connection): void {
    if (!this.#isDue) return;
    this.#isDue = this.#isStopped;
    for (const { place, count } of this.#searches.take()) addUsage(writer, place.org, place.period, { search: count });
    for (const { place, count } of this.#days.take()) addDaily(writer, place, count);
  }

  committed(): void {
    this.#searches.committed();
    this.#days.committed();
  }

  /** Drops the waiting counts of an organization that was deleted. */
  forget(org: number): void {
    this.#searches.drop((place) => place.org === org);
    this.#days.drop((place) => place.org === org);
  }

  /** Returns the counts to those that wait, since nothing was written. */
  abandoned(): void {
    this.#isDue = true;
    this.#searches.abandoned();
    this.#days.abandoned();
  }

  /** Lets each later commit write the counts. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#isStopped = true;
    this.#isDue = true;
  }

  #add(org: number, period: string, count: number): void {
    this.#searches.add(`${org} ${period}`, { org, period }, count);
    this.#commitSoon();
  }

  #commitSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isDue = true;
      this.#commit();
    }, MAX_UNWRITTEN_MS).unref();
  }

  /** Returns committed and waiting counts together. */
  #usage(org: number, period: string): Usage {
    const { ingest, search } = readUsage(this.#reader, org, period);
    const counted = this.#reader.get<{ ingested: number }>(COUNTED, org, period)?.ingested ?? 0;
    return { ingest: ingest + counted, search: search + this.#searches.of(`${org} ${period}`) };
  }
}

const COUNTED = 'SELECT ingested FROM organizations WHERE key = ? AND ingest_period = ?';

/** Reads the table `usage`, which does not contain the ingests that the row of the organization counts. */
export function readUsage(connection: Connection, org: number, period: string): Usage {
  const sql = 'SELECT ingest, search FROM usage WHERE org = ? AND period = ?';
  return connection.get<Usage>(sql, org, period) ?? { ingest: 0, search: 0 };
}

export function addUsage(
  writer: Connection,
  org: number,
  period: string,
  { ingest = 0, search = 0 }: Partial<Usage>,
): void {
  writer.run(
    `INSERT INTO usage (org, period, ingest, search) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ingest = ingest + excluded.ingest, search = search + excluded.search`,
    org,
    period,
    ingest,
    search,
  );
}
