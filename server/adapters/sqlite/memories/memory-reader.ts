import type { DocumentName } from '../../../domain/documents/document.js';
import { sharedResource } from '../../../domain/fairness/bounds.js';
import type { SharedResource } from '../../../domain/fairness/shared-resource.js';
import type { Filter } from '../../../domain/filter/filter.js';
import { subjectText } from '../../../domain/filter/memory-facets.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type {
  Histogram,
  HistogramQuery,
  KeywordMatches,
  KeywordQuery,
  LinesQuery,
  ListedMemory,
  ListQuery,
  Match,
  MemoryLines,
  MemoryReader,
  ReadScope,
  Stats,
  StatsQuery,
  UnembeddedPage,
  VectorQuery,
} from '../../../ports/memory-reader.js';
import type { VectorSearchTotals } from '../../../ports/store.js';
import { EmbedderReplacedError } from '../../../ports/store-errors.js';
import type { ExpectedWrite } from '../../../ports/unit-of-work.js';
import type { Connection } from '../engine/connection.js';
import type { Database } from '../engine/database.js';
import { type Organizations, readState } from '../engine/organizations.js';
import { documentSeqs } from '../engine/statements/document-seqs.js';
import { matchingSeqs, select } from '../engine/statements/filter-sql.js';
import { workerFile } from '../engine/threads/worker-file.js';
import { Yielder } from '../engine/yielder.js';
import type { KeywordBacklog } from '../keywords/keyword-backlog.js';
import { nearest, type Ranked } from '../vector-index/search/nearest.js';
import { SearchTotals } from '../vector-index/search/search-totals.js';
import type { VectorIndexes } from '../vector-index/vector-indexes.js';
import { fromBlob } from '../vector-index/vectors.js';
import type { AbsentContents } from './contents/absent-contents.js';
import { areActive } from './contents/active-contents.js';
import { findRow, memoriesOf } from './find-rows.js';
import { HeavyReads, type ReadAnswer, type ReadOrder } from './heavy-reads.js';
import { LineReads, type LinesOrder } from './lines/line-reads.js';
import type { PagesAhead } from './lines/pages-ahead.js';
import { ListReads } from './lists/list-reads.js';
import { toMemory } from './memory-rows.js';
import { countUnembedded, findUnembedded } from './vector-rows.js';
import { WordMatches } from './word-matches.js';

const VECTORS_BY_ID = `SELECT m.id, v.embedding FROM json_each(?) j CROSS JOIN memories m ON m.org = ? AND m.id = j.value
  JOIN organizations o ON o.key = m.org JOIN vectors v ON v.seq = m.seq * o.vector_side
  JOIN fingerprints f ON f.key = v.fingerprint WHERE f.fingerprint = ?`;

/** The parts of a store that it reads with. */
interface ReaderParts {
  database: Database;
  organizations: Organizations;
  indexes: VectorIndexes;
  backlog: KeywordBacklog;
  pages: PagesAhead;
  absent: AbsentContents;
}

/**
 * Reads committed memories. Each result belongs to one state of the store, for
 * any number of statements: after its last `await`, a method runs in one turn
 * of the event loop, in which nothing can be committed. A large list takes
 * several turns, and is read again if a write changes it meanwhile. The result
 * of a heavy read belongs to the state in which HeavyReads read it.
 */
export class SqliteMemoryReader implements MemoryReader {
  readonly #database: Database;
  readonly #connection: Connection;
  readonly #organizations: Organizations;
  readonly #indexes: VectorIndexes;
  readonly #absent: AbsentContents;
  readonly #words: WordMatches;
  readonly #heavy: HeavyReads;
  readonly #lists: ListReads;
  readonly #lines: LineReads;
  readonly #scans: SharedResource = sharedResource('vectorScans');
  readonly #totals = new SearchTotals();
  /** Not shared with the writer, so that a running write does not wait for all reads, but for one turn of them. */
  readonly #yielder = new Yielder();

  constructor({ database, organizations, indexes, backlog, pages, absent }: ReaderParts) {
    const thread = database.addThread<ReadOrder, ReadAnswer>(workerFile('memories/read-worker'));
    this.#heavy = new HeavyReads(database.reader, organizations, thread);
    const linesThread = database.addThread<LinesOrder, MemoryLines>(workerFile('memories/lines/lines-worker'));
    this.#lists = new ListReads(database.reader);
    this.#lines = new LineReads(database.reader, linesThread, pages);
    this.#database = database;
    this.#connection = database.reader;
    this.#words = new WordMatches({ connection: database.reader, backlog, heavy: this.#heavy, indexes });
    this.#organizations = organizations;
    this.#indexes = indexes;
    this.#absent = absent;
  }

  /** The resources that organizations share when they read. */
  get sharedResources(): readonly SharedResource[] {
    return [this.#heavy.turns, this.#scans];
  }

  get vectorSearches(): VectorSearchTotals {
    return this.#totals.current;
  }

  async findById(organizationId: string, id: string): Promise<Memory | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    const row = org === undefined ? undefined : findRow(this.#database.committed(), org, id);
    return row && toMemory(organizationId, row);
  }

  async areStored(organizationId: string, ids: readonly string[]): Promise<boolean[]> {
    const org = this.#organizations.keyOf(organizationId);
    const connection = this.#database.committed();
    return ids.map((id) => org !== undefined && findRow(connection, org, id) !== undefined);
  }

  async areActive(
    organizationId: string,
    contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
  ): Promise<boolean[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return contents.map(() => false);
    const connection = this.#database.committed();
    const active = areActive(connection, org, contents);
    // The other connection does not see what an open transaction has written.
    if (connection === this.#database.writer) {
      for (const [at, { subjectKey, contentHash }] of contents.entries()) {
        if (!active[at]) this.#absent.add(org, subjectText(subjectKey), contentHash);
      }
    }
    return active;
  }

  async list(organizationId: string, query: ListQuery, signal?: AbortSignal): Promise<ListedMemory[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    return this.#lists.read({ organizationId, org, turn: () => this.#turn(signal) }, query);
  }

  async listLines(organizationId: string, query: LinesQuery, signal?: AbortSignal): Promise<MemoryLines> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return { lines: new Uint8Array(), hasMore: false };
    await this.#turn(signal);
    return this.#lines.read(org, query, signal);
  }

  async findMatching(organizationId: string, filter: Filter, limit: number): Promise<{ ids: string[]; count: number }> {
    const org = this.#organizations.keyOf(organizationId);
    await this.#yielder.breathe();
    const selection = org === undefined ? undefined : select(this.#connection, org, { filter, includeDeleted: false });
    if (org === undefined || !selection)
      throw new Error('This read requires an existing organization and a filter with a condition');
    const seqs = matchingSeqs(this.#connection, org, selection);
    // Within an organization, the order of insertion is the order of creation.
    const oldest = seqs.sort((one, other) => one - other).slice(0, limit);
    const sql = 'SELECT m.id FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value ORDER BY j.key';
    const ids = this.#connection.all<{ id: string }>(sql, JSON.stringify(oldest)).map(({ id }) => id);
    return { ids, count: seqs.length };
  }

  async stats(organizationId: string, query: StatsQuery, signal?: AbortSignal): Promise<Stats> {
    const org = this.#organizations.keyOf(organizationId);
    await this.#turn(signal);
    if (org !== undefined) return this.#heavy.stats(org, query, signal);
    return { facets: Object.fromEntries(query.facets.map((key) => [key, []])), total: 0, filtered: 0 };
  }

  async histogram(organizationId: string, query: HistogramQuery, signal?: AbortSignal): Promise<Histogram> {
    const org = this.#organizations.keyOf(organizationId);
    await this.#turn(signal);
    if (org !== undefined) return this.#heavy.histogram(org, query, signal);
    return { counts: query.starts.map(() => 0), ...(query.facet && { series: [] }) };
  }

  async nearest(organizationId: string, query: VectorQuery, signal?: AbortSignal): Promise<Match[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    using _ = this.#totals.begin();
    for (;;) {
      using lease = await this.#indexes.lease(org, query.includeDeleted);
      if (!lease) return [];
      if (query.fingerprint !== undefined && query.fingerprint !== lease.index.vectors.fingerprint) {
        throw new EmbedderReplacedError(`the memories are embedded with ${lease.index.vectors.fingerprint}`);
      }
      const turn = () => this.#turn(signal);
      await turn();
      const scanTurn = () => this.#scans.wait([{ kind: 'tenant', id: String(org) }], 1, signal);
      const space = { connection: this.#connection, org, lease, turn, scanTurn, totals: this.#totals };
      // A commit can drop the index, which then gets no later changes.
      const matches = await nearest(space, query, (ranked) =>
        lease.isCurrent ? this.#matches(organizationId, ranked) : undefined,
      );
      if (matches) return matches;
    }
  }

  async findVectors(
    organizationId: string,
    ids: readonly string[],
    fingerprint: string,
  ): Promise<Map<string, Float32Array>> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return new Map();
    const rows = this.#database
      .committed()
      .all<{ id: string; embedding: Uint8Array }>(VECTORS_BY_ID, JSON.stringify(ids), org, fingerprint);
    return new Map(rows.map(({ id, embedding }) => [id, fromBlob(embedding)]));
  }

  async matching(organizationId: string, query: KeywordQuery, signal?: AbortSignal): Promise<KeywordMatches> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return { matches: [], wordsLeftOut: false, most: 0 };
    return this.#words.find({ organizationId, org, turn: () => this.#turn(signal), signal }, query);
  }

  async countByDocument(
    organizationId: string,
    scope: ReadScope,
    documents: readonly DocumentName[],
    signal?: AbortSignal,
  ): Promise<number[]> {
    const org = this.#organizations.keyOf(organizationId);
    const counts: number[] = [];
    for (const document of documents) {
      await this.#turn(signal);
      counts.push(org === undefined ? 0 : documentSeqs(this.#connection, org, scope, document).length);
    }
    return counts;
  }

  async findDeleted(organizationId: string, before: Microseconds, limit: number): Promise<string[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    // The last change of a deleted memory is its deletion or its import.
    const sql = `SELECT id FROM memories WHERE org = ? AND deleted_at IS NOT NULL AND updated_at < ?
      ORDER BY updated_at LIMIT +?`;
    return this.#connection.all<{ id: string }>(sql, org, before, limit).map(({ id }) => id);
  }

  async findUnembedded(organizationId: string, limit: number, after?: Microseconds): Promise<UnembeddedPage> {
    const org = this.#organizations.keyOf(organizationId);
    const state = org === undefined ? undefined : readState(this.#connection, org);
    if (org === undefined || !state) return { memories: [], next: undefined };
    await this.#yielder.breathe();
    const { found, next } = findUnembedded(this.#connection, org, state, limit, after);
    return { memories: found.map((row) => toMemory(organizationId, row)), next };
  }

  async countUnembedded(organizationId: string): Promise<{ all: number; unembedded: number }> {
    const org = this.#organizations.keyOf(organizationId);
    const state = org === undefined ? undefined : readState(this.#connection, org);
    if (org === undefined || !state) return { all: 0, unembedded: 0 };
    return countUnembedded(this.#connection, org, state);
  }

  /** Resolves when a read may run. Rejects if its caller has aborted it. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await this.#yielder.breathe();
    signal?.throwIfAborted();
  }

  #matches(organizationId: string, ranked: readonly Ranked[]): Match[] {
    const memories = memoriesOf(this.#connection, organizationId, ranked);
    return ranked.flatMap(({ seq, similarity, score }) => {
      const memory = memories.get(seq);
      return memory ? [{ memory, similarity, score }] : [];
    });
  }
}
