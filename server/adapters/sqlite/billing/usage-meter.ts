import type { Usage, UsageMeter } from '../../../ports/usage-meter.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';

const MAX_UNWRITTEN_MS = 1_000;

interface Counted {
  org: number;
  period: string;
  count: number;
}

/** Counts searches in memory until the next commit writes them, at the latest after a second. */
export class SqliteUsageMeter implements UsageMeter {
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #commit: () => void;
  /** Counts that are in no transaction yet. */
  #searches = new Map<string, Counted>();
  /** Counts in the open transaction. */
  #written = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;

  /** @param commit starts a commit, which calls `write` */
  constructor(reader: Connection, organizations: Organizations, commit: () => void) {
    this.#reader = reader;
    this.#organizations = organizations;
    this.#commit = commit;
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
    return org === undefined ? 0 : readStoredBytes(this.#reader, org);
  }

  /** Writes the waiting counts into the open transaction. */
  write(writer: Connection): void {
    if (this.#searches.size === 0) return;
    this.#written = this.#searches;
    this.#searches = new Map();
    for (const { org, period, count } of this.#written.values()) addUsage(writer, org, period, { search: count });
  }

  committed(): void {
    this.#written.clear();
  }

  /** Returns the counts to those that wait, since nothing was written. */
  abandoned(): void {
    for (const [key, written] of this.#written) {
      const waiting = this.#searches.get(key);
      this.#searches.set(key, { ...written, count: written.count + (waiting?.count ?? 0) });
    }
    this.#written.clear();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #add(org: number, period: string, count: number): void {
    const key = `${org} ${period}`;
    const counted = this.#searches.get(key);
    if (counted) counted.count += count;
    else this.#searches.set(key, { org, period, count });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#commit();
    }, MAX_UNWRITTEN_MS).unref();
  }

  /** Returns committed and waiting counts together. */
  #usage(org: number, period: string): Usage {
    const { ingest, search } = readUsage(this.#reader, org, period);
    const key = `${org} ${period}`;
    const waiting = (this.#searches.get(key)?.count ?? 0) + (this.#written.get(key)?.count ?? 0);
    return { ingest, search: search + waiting };
  }
}

export function readUsage(connection: Connection, org: number, period: string): Usage {
  const sql = 'SELECT ingest, search FROM usage WHERE org = ? AND period = ?';
  return connection.get<Usage>(sql, org, period) ?? { ingest: 0, search: 0 };
}

export function readStoredBytes(connection: Connection, org: number): number {
  return connection.get<{ bytes: number }>('SELECT bytes FROM organizations WHERE key = ?', org)?.bytes ?? 0;
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
