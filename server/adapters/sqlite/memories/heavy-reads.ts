import { sharedResource } from '../../../domain/fairness/bounds.js';
import type { SharedResource } from '../../../domain/fairness/shared-resource.js';
import { queryTerms } from '../../../domain/retrieval/query-terms.js';
import type { Histogram, HistogramQuery, KeywordQuery, Stats, StatsQuery } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import { Organizations } from '../engine/organizations.js';
import { excludedSeqs } from '../engine/statements/document-seqs.js';
import { matchingSeqs, select } from '../engine/statements/filter-sql.js';
import { NumberSet } from '../engine/statements/numbers.js';
import type { AssertWanted } from '../engine/threads/abandonment.js';
import type { DatabaseThread } from '../engine/threads/database-thread.js';
import { Yielder } from '../engine/yielder.js';
import type { MemoryTerms } from '../keywords/keyword-backlog.js';
import { type RelevantFound, relevantTo } from '../keywords/keyword-search.js';
import { readHistogram } from './histogram.js';
import { type PackedFound, unpackedFound } from './packed-found.js';
import { readStats } from './stats.js';

/** A read that may take long, in the form of an order to the thread. */
export type ReadOrder =
  | { kind: 'stats'; org: number; query: StatsQuery }
  | { kind: 'histogram'; org: number; query: HistogramQuery }
  | { kind: 'relevant'; org: number; query: WordsQuery; backlog: readonly MemoryTerms[] };

/** An answer of the thread. */
export type ReadAnswer = Stats | Histogram | PackedFound;

/** The part of a query that decides the ranking by words. The rest cannot be passed to a thread. */
type WordsQuery = Omit<KeywordQuery, 'comparedTo' | 'kept'>;

/** Size of an organization from which reads go to the thread. Below, the slowest read takes a few milliseconds. */
const LARGE = { memories: 10_000, words: 150_000 };

/** Keyword queries with more distinct words go to the thread for any size, since each word needs a query. */
const MAX_LOCAL_WORDS = 32;

/** Number of words of the backlog that are filtered before others may get a turn: a tenth of a millisecond of work. */
const WORDS_PER_STEP = 4_096;

/**
 * Runs reads that scan much of an organization. Those of a large organization,
 * or with a long query, run in a thread, since they would block all others.
 * Other reads run in the main thread, which is faster than asking a thread.
 */
export class HeavyReads {
  /** The share of each organization in the thread. */
  readonly turns: SharedResource = sharedResource('heavyReads');
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #thread: Pick<DatabaseThread<ReadOrder, ReadAnswer>, 'ask'>;
  readonly #large: typeof LARGE;
  readonly #yielder = new Yielder();

  /** @param large size of an organization from which its reads go to the thread */
  constructor(
    reader: Connection,
    organizations: Organizations,
    thread: Pick<DatabaseThread<ReadOrder, ReadAnswer>, 'ask'>,
    large = LARGE,
  ) {
    this.#large = large;
    this.#reader = reader;
    this.#organizations = organizations;
    this.#thread = thread;
  }

  /** @throws {ShareExceededError} if too many reads wait for the thread */
  async stats(org: number, query: StatsQuery, signal?: AbortSignal): Promise<Stats> {
    return (await this.#read({ kind: 'stats', org, query }, this.#isLarge(org), signal)) as Stats;
  }

  /** @throws {ShareExceededError} if too many reads wait for the thread */
  async histogram(org: number, query: HistogramQuery, signal?: AbortSignal): Promise<Histogram> {
    return (await this.#read({ kind: 'histogram', org, query }, this.#isLarge(org), signal)) as Histogram;
  }

  /**
   * @param backlog memories whose words are not in the index yet
   * @throws {ShareExceededError} if too many reads wait for the thread
   */
  async relevant(
    org: number,
    { comparedTo: _, kept: __, ...query }: KeywordQuery,
    backlog: readonly MemoryTerms[],
    signal?: AbortSignal,
  ): Promise<RelevantFound> {
    const isLarge = this.#isLarge(org);
    // The thread splits the query anyway.
    const asked = isLarge && backlog.length === 0 ? undefined : new Set(queryTerms(query.text).counted);
    const having = asked ? await this.#having(asked, backlog) : [];
    const isLong = isLarge || (asked?.size ?? 0) > MAX_LOCAL_WORDS;
    return (await this.#read({ kind: 'relevant', org, query, backlog: having }, isLong, signal)) as RelevantFound;
  }

  /** Returns the memories of the backlog that have one of the words, with these words only. */
  async #having(asked: ReadonlySet<string>, backlog: readonly MemoryTerms[]): Promise<MemoryTerms[]> {
    const having: MemoryTerms[] = [];
    let words = 0;
    for (const memory of backlog) {
      words += memory.terms.length;
      if (words >= WORDS_PER_STEP) {
        await this.#yielder.breathe();
        words = 0;
      }
      const terms = memory.terms.filter((term) => asked.has(term));
      if (terms.length > 0) having.push({ ...memory, terms });
    }
    return having;
  }

  #isLarge(org: number): boolean {
    const { active, deleted, words } = this.#organizations.counts(org);
    return active + deleted >= this.#large.memories || words >= this.#large.words;
  }

  async #read(order: ReadOrder, isLong: boolean, signal?: AbortSignal): Promise<unknown> {
    if (!isLong) return answer(this.#reader, order, () => undefined);
    using _ = await this.turns.wait([{ kind: 'tenant', id: String(order.org) }], 1, signal);
    const answered = await this.#thread.ask(order, signal);
    return 'packed' in answered ? unpackedFound(answered) : answered;
  }
}

/**
 * Runs a read. Its result belongs to one state of the store if the connection has an open transaction.
 *
 * @param assertWanted called between the steps of the read. An error that it throws ends the read
 */
export function answer(
  connection: Connection,
  order: ReadOrder,
  assertWanted: AssertWanted,
): Stats | Histogram | RelevantFound {
  const { org } = order;
  if (order.kind === 'histogram') return readHistogram({ connection, org, assertWanted }, order.query);
  const organizations = new Organizations(connection);
  if (order.kind === 'stats') return readStats({ connection, organizations, org, assertWanted }, order.query);
  const { query } = order;
  const selection = select(connection, org, query);
  const allowed = selection && new NumberSet(matchingSeqs(connection, org, selection));
  const excluded = excludedSeqs(connection, org, query);
  const isLimited = allowed !== undefined || excluded !== undefined;
  const scope = {
    org,
    counts: organizations.counts(org),
    backlog: notIndexed(connection, order.backlog),
    includeDeleted: query.includeDeleted,
    assertWanted,
    isAllowed: isLimited ? (seq: number) => (!allowed || allowed.has(seq)) && !excluded?.has(seq) : undefined,
  };
  return relevantTo(connection, scope, query.text, query.limit);
}

/** Omits the memories that were indexed meanwhile, since the index returns them. */
function notIndexed(connection: Connection, backlog: readonly MemoryTerms[]): MemoryTerms[] {
  const indexedTo = connection.get<{ seq: number }>('SELECT seq FROM keyword_state')?.seq ?? 0;
  return backlog.filter(({ seq }) => seq > indexedTo);
}
