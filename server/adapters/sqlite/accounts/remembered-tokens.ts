import type { ApiToken, Identified } from '../../../ports/account-store.js';

const MAX_REMEMBERED = 1_000;
/** The texts of reads depend on requests, since a filter has its own. */
const MAX_READS = 200;

type Found = Identified<ApiToken>;

/**
 * Statements besides reads that change neither tokens nor standings: those of a write of memories, and of its
 * transaction. The counters of an organization are no part of a standing.
 */
const UNRELATED = [
  /^INSERT INTO (?:memories|metadata_backlog|metadata_values|facets|vectors|fingerprints|keywords) /,
  /^INSERT INTO (?:audit_events|audit_backlog) /,
  /^INSERT INTO (?:usage|daily_usage) /,
  /^DELETE FROM (?:metadata_backlog|audit_backlog)$/,
  /^(?:SAVEPOINT unit|RELEASE unit|BEGIN IMMEDIATE|COMMIT|PRAGMA wal_checkpoint\(NOOP\))$/,
  /^UPDATE organizations SET (?:(?:clock|newest|unordered|active|deleted|words|bytes|ingest_period|ingested) = \?,?\s+)+WHERE key = \?$/,
  /^INSERT OR REPLACE INTO keywords /,
  /^UPDATE keyword_state SET seq = \?$/,
];

/**
 * Caches committed tokens with the standings of their users. A commit clears
 * the cache, unless all its statements are known to leave them as they are.
 * Since no other process writes to the database, the cache always equals what
 * the database would return.
 */
export class RememberedTokens {
  readonly #found = new Map<string, Found>();
  /** The unrelated statements so far. Their texts do not depend on requests, so they are few. */
  readonly #unrelated = new Set<string>();
  /** The reads so far, or the last of them. */
  readonly #reads = new Set<string>();
  #isOutdated = false;

  /** Records a statement of the next commit. */
  note(sql: string): void {
    if (this.#isOutdated || this.#unrelated.has(sql) || this.#reads.has(sql)) return;
    if (sql.includes(';')) this.#isOutdated = true;
    else if (sql.startsWith('SELECT ')) this.#noteRead(sql);
    else if (UNRELATED.some((statement) => statement.test(sql))) this.#unrelated.add(sql);
    else this.#isOutdated = true;
  }

  #noteRead(sql: string): void {
    if (this.#reads.size >= MAX_READS) this.#reads.clear();
    this.#reads.add(sql);
  }

  /** Called after each commit. */
  committed(): void {
    if (this.#isOutdated) this.forget();
  }

  /** @param read reads the token from the database, in one turn of the event loop */
  find(digest: string, organizationId: string | undefined, read: () => Found | undefined): Found | undefined {
    const key = organizationId === undefined ? digest : `${digest} ${organizationId}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found = read();
    if (found && this.#found.size < MAX_REMEMBERED) this.#found.set(key, found);
    return found;
  }

  forget(): void {
    this.#found.clear();
    this.#isOutdated = false;
  }
}
