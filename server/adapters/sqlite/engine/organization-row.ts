import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { Connection } from './connection.js';
import { type OrganizationState, parseState, type StateColumns } from './organizations.js';

/** The columns that are written at the end of the unit. */
interface Counters {
  clock: Microseconds;
  newest: Microseconds;
  /** 1 if a memory was inserted after one that was created later. */
  unordered: number;
  active: number;
  deleted: number;
  words: number;
  /** Bytes of active memories, as `bytesOf` counts them. */
  bytes: number;
  /** The period of `ingested`. Empty before the first ingest. */
  ingest_period: string;
  /** Ingests of the period that the table `usage` does not contain. */
  ingested: number;
}

/** Ingests counted in a period. */
export interface PeriodCount {
  period: string;
  count: number;
}

interface Columns extends Counters, StateColumns {
  /** 1 if the organization has outbound webhooks. */
  has_webhooks: number;
}

export type CountChange = Partial<Pick<Counters, 'active' | 'deleted' | 'words' | 'bytes'>>;

const READ = `SELECT settings, vector_side, clock, newest, unordered, active, deleted, words, bytes,
  ingest_period, ingested, EXISTS (SELECT 1 FROM outbound_webhooks w WHERE w.org = o.key) AS has_webhooks
  FROM current_organizations o WHERE key = ?`;
// The settings have indexes, so that only their change writes them.
const WRITE = `UPDATE organizations SET clock = ?, newest = ?, unordered = ?, active = ?, deleted = ?, words = ?, bytes = ?,
  ingest_period = ?, ingested = ? WHERE key = ?`;
const WRITE_STATE = 'UPDATE organizations SET settings = ?, vector_side = ? WHERE key = ?';

/**
 * The row of an organization in a unit of work: read once, counted in memory, and written once. No other code may
 * change these columns in the unit. Code that reads the counters by SQL needs a `write` before it.
 */
export class OrganizationRow {
  readonly #connection: Connection;
  readonly #org: number;
  #columns: Columns | undefined;
  #state: OrganizationState | undefined;
  #isChanged = false;

  constructor(connection: Connection, org: number) {
    this.#connection = connection;
    this.#org = org;
  }

  /** Reports if the organization exists and was not deleted. */
  get isCurrent(): boolean {
    return this.#find() !== undefined;
  }

  get state(): OrganizationState {
    this.#state ??= parseState(this.#read());
    return this.#state;
  }

  /** Reports if the organization had outbound webhooks before the unit. */
  get hadWebhooks(): boolean {
    return this.#read().has_webhooks === 1;
  }

  get newest(): Microseconds {
    return this.#read().newest;
  }

  get bytes(): number {
    return this.#read().bytes;
  }

  /** Returns the next time of the organization, which is greater than all before. */
  tick(now: Microseconds): Microseconds {
    const columns = this.#change();
    columns.clock = Math.max(now, columns.clock + 1);
    return columns.clock;
  }

  /** Sets the clock forward. Reports if it was earlier. */
  advance(to: Microseconds): boolean {
    if (this.#read().clock >= to) return false;
    this.#change().clock = to;
    return true;
  }

  /** Marks the organization as unordered if needed. Otherwise the order of insertion counts as the order of creation. */
  countNewest(createdAt: Microseconds): void {
    const columns = this.#change();
    if (columns.newest > createdAt) columns.unordered = 1;
    columns.newest = Math.max(columns.newest, createdAt);
  }

  count({ active = 0, deleted = 0, words = 0, bytes = 0 }: CountChange): void {
    const columns = this.#change();
    columns.active += active;
    columns.deleted += deleted;
    columns.words += words;
    columns.bytes += bytes;
  }

  /** Returns the ingests of a period that the table `usage` does not contain. */
  ingestsOf(period: string): number {
    const columns = this.#read();
    return columns.ingest_period === period ? columns.ingested : 0;
  }

  /** Counts ingests. Returns those of an earlier period, which the caller must add to the table `usage`. */
  countIngests(period: string, amount: number): PeriodCount | undefined {
    const columns = this.#change();
    if (columns.ingest_period === period) {
      columns.ingested += amount;
      return undefined;
    }
    const former = { period: columns.ingest_period, count: columns.ingested };
    columns.ingest_period = period;
    columns.ingested = amount;
    return former.count === 0 ? undefined : former;
  }

  replaceState(settings: OrganizationSettings, vectorSide: number): void {
    this.#connection.run(WRITE_STATE, JSON.stringify(settings), vectorSide, this.#org);
    this.#state = { settings: { ...settings }, vectorSide };
  }

  /** Writes the counters if they were changed. */
  write(): void {
    if (!this.#columns || !this.#isChanged) return;
    const { clock, newest, unordered, active, deleted, words, bytes, ingest_period, ingested } = this.#columns;
    const counters = [clock, newest, unordered, active, deleted, words, bytes, ingest_period, ingested];
    this.#connection.run(WRITE, ...counters, this.#org);
    this.#isChanged = false;
  }

  #change(): Counters {
    this.#isChanged = true;
    return this.#read();
  }

  #read(): Columns {
    const columns = this.#find();
    if (!columns) throw new Error('The organization is gone');
    return columns;
  }

  #find(): Columns | undefined {
    this.#columns ??= this.#connection.get<Columns>(READ, this.#org);
    return this.#columns;
  }
}
