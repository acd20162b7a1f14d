import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { ComparedVector, KeptMatches, KeywordMatches, KeywordQuery } from '../../../ports/memory-reader.js';
import { EmbedderReplacedError } from '../../../ports/store-errors.js';
import type { Connection } from '../engine/connection.js';
import { matchingAmong, select } from '../engine/statements/filter-sql.js';
import type { KeywordBacklog } from '../keywords/keyword-backlog.js';
import type { IndexLease } from '../vector-index/index-parts.js';
import { SearchTotals } from '../vector-index/search/search-totals.js';
import { similaritiesTo } from '../vector-index/search/similarities.js';
import { VectorSearch } from '../vector-index/search/vector-search.js';
import type { VectorIndexes } from '../vector-index/vector-indexes.js';
import { memoriesOf } from './find-rows.js';
import type { HeavyReads } from './heavy-reads.js';
import { type FoundByWords, keptMatches } from './kept-matches.js';

/** The parts of a store that it reads with. */
interface WordParts {
  connection: Connection;
  backlog: KeywordBacklog;
  heavy: HeavyReads;
  indexes: VectorIndexes;
}

/** A read of an organization, and a function that resolves when it may continue. */
interface WordRead {
  organizationId: string;
  org: number;
  turn: () => Promise<void>;
  signal: AbortSignal | undefined;
}

/** Finds memories by their words. The memories and their similarities belong to one state of the store. */
export class WordMatches {
  readonly #parts: WordParts;

  constructor(parts: WordParts) {
    this.#parts = parts;
  }

  async find({ organizationId, org, turn, signal }: WordRead, query: KeywordQuery): Promise<KeywordMatches> {
    const { backlog, heavy, indexes } = this.#parts;
    const isEstimated = query.kept !== undefined && query.comparedTo !== undefined;
    for (;;) {
      signal?.throwIfAborted();
      using lease = isEstimated ? await indexes.lease(org, query.includeDeleted) : undefined;
      await turn();
      await backlog.read(org, turn);
      const ranked = await heavy.relevant(org, query, backlog.of(org), signal);
      // A commit can drop the index, which then gets no later changes.
      if (lease && !lease.isCurrent) continue;
      const { found, wordsLeftOut, most } = ranked;
      return { matches: this.#matches(organizationId, org, query, { found, most, lease }), wordsLeftOut, most };
    }
  }

  /** Reads the matches in one turn of the event loop. Another thread may have ranked them in an earlier state. */
  #matches(
    organizationId: string,
    org: number,
    query: KeywordQuery,
    { found, most, lease }: { found: readonly FoundByWords[]; most: number; lease: IndexLease | undefined },
  ): KeywordMatches['matches'] {
    const { connection } = this.#parts;
    const { kept, comparedTo, includeDeleted } = query;
    const ranked = this.#stillMatching(org, query, found);
    const search = lease && comparedTo && kept && this.#searchFor(org, query, { lease, comparedTo, kept });
    // Without an index no memory has a similarity.
    const shown = kept ? keptMatches(connection, ranked, { kept, most, includeDeleted, search }) : ranked;
    const memories = memoriesOf(connection, organizationId, shown);
    const seqs = shown.map(({ seq }) => seq);
    const similarities = comparedTo && !search ? similaritiesTo(connection, org, seqs, comparedTo) : undefined;
    return shown.flatMap(({ seq, relevance }) => {
      const memory = memories.get(seq);
      if (!memory || (!includeDeleted && memory.deletedAt !== undefined)) return [];
      if (search) return [{ memory, relevance, similarity: search.similarityOf(seq) }];
      return [{ memory, relevance, ...(similarities && { similarity: similarities.get(seq) ?? 0 }) }];
    });
  }

  /** @throws {EmbedderReplacedError} */
  #searchFor(
    org: number,
    { includeDeleted }: KeywordQuery,
    { lease, comparedTo, kept }: { lease: IndexLease; comparedTo: ComparedVector; kept: KeptMatches },
  ): VectorSearch {
    const { fingerprint } = lease.index.vectors;
    if (comparedTo.fingerprint !== undefined && comparedTo.fingerprint !== fingerprint) {
      throw new EmbedderReplacedError(`the memories are embedded with ${fingerprint}`);
    }
    const noTurn = async () => undefined;
    const noScan = async () => ({ [Symbol.dispose]: noTurn });
    const { connection } = this.#parts;
    const space = { connection, org, lease, turn: noTurn, scanTurn: noScan, totals: new SearchTotals() };
    return new VectorSearch(space, { ...comparedTo, filter: NO_FILTER, includeDeleted, limit: kept.limit });
  }

  /** Returns the memories that match the filter now. */
  #stillMatching(org: number, query: KeywordQuery, found: readonly FoundByWords[]): readonly FoundByWords[] {
    const { connection } = this.#parts;
    const selection = select(connection, org, query, 1);
    if (!selection) return found;
    const seqs = found.map(({ seq }) => seq);
    const matching = new Set(matchingAmong(connection, org, selection, seqs));
    return found.filter(({ seq }) => matching.has(seq));
  }
}
