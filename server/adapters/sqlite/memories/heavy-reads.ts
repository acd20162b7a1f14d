import { sharedResource } from '../../../domain/fairness/bounds.js';
import type { SharedResource } from '../../../domain/fairness/shared-resource.js';
import { queryTerms } from '../../../domain/retrieval/query-terms.js';
import type { KeywordQuery, Stats, StatsQuery } from '../../../ports/store.js';
import type { AssertWanted } from '../engine/abandonment.js';
import type { Connection } from '../engine/connection.js';
import type { DatabaseThread } from '../engine/database-thread.js';
import { matchingSeqs, select } from '../engine/filter-sql.js';
import { NumberSet } from '../engine/numbers.js';
import { Organizations } from '../engine/organizations.js';
import { Yielder } from '../engine/yielder.js';
import type { MemoryTerms } from '../keywords/keyword-backlog.js';
import { type RelevantFound, relevantTo } from '../keywords/keyword-search.js';
import { readStats } from './stats.js';

/** A read that may take long, as it goes to the thread for such. */
export type ReadOrder =
  | { kind: 'stats'; org: number; query: StatsQuery }
  | { kind: 'relevant'; org: number; query: KeywordQuery; backlog: readonly MemoryTerms[] };

/** From so many memories, or words of theirs, on reads go to the thread: below, the worst of them takes a few milliseconds. */
const LARGE = { memories: 10_000, words: 150_000 };

/** Keyword queries of more distinct words go to the thread whatever the size of the organization: each is looked up. */
const LONG_QUERY_WORDS = 32;

/** The longest turn of the event loop in which the words that wait for the index are looked through. */
const LONGEST_TURN_MS = 5;

/**
 * Reads that go through much of an organization. Of a large one, and for a long
 * query, they are done in a thread, since they would keep everybody else
 * waiting; others take less time than the way there.
 */
export class HeavyReads {
  /** The thread, which organizations use in turn. */
  readonly turns: SharedResource = sharedResource('heavyReads');
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #thread: Pick<DatabaseThread<ReadOrder, unknown>, 'ask'>;
  readonly #large: typeof LARGE;
  readonly #yielder = new Yielder(LONGEST_TURN_MS);

  /** @param large from what size on the thread is asked */
  constructor(
    reader: Connection,
    organizations: Organizations,
    thread: Pick<DatabaseThread<ReadOrder, unknown>, 'ask'>,
    large = LARGE,
  ) {
    this.#large = large;
    this.#reader = reader;
    this.#organizations = organizations;
    this.#thread = thread;
  }

  /** @throws {ShareExceededError} when too many reads wait for the thread */
  async stats(org: number, query: StatsQuery, signal?: AbortSignal): Promise<Stats> {
    return (await this.#read({ kind: 'stats', org, query }, this.#isLarge(org), signal)) as Stats;
  }

  /**
   * @param backlog memories whose words the index does not have yet
   * @throws {ShareExceededError} when too many reads wait for the thread
   */
  async relevant(
    org: number,
    query: KeywordQuery,
    backlog: readonly MemoryTerms[],
    signal?: AbortSignal,
  ): Promise<RelevantFound> {
    const asked = new Set(queryTerms(query.text).counted);
    const having: MemoryTerms[] = [];
    for (const memory of backlog) {
      await this.#yielder.breathe();
      having.push({ ...memory, terms: memory.terms.filter((term) => asked.has(term)) });
    }
    const isLong = asked.size > LONG_QUERY_WORDS || this.#isLarge(org);
    return (await this.#read({ kind: 'relevant', org, query, backlog: having }, isLong, signal)) as RelevantFound;
  }

  #isLarge(org: number): boolean {
    const { active, deleted, words } = this.#organizations.counts(org);
    return active + deleted >= this.#large.memories || words >= this.#large.words;
  }

  async #read(order: ReadOrder, isLong: boolean, signal?: AbortSignal): Promise<unknown> {
    if (!isLong) return answer(this.#reader, order, () => undefined);
    using _ = await this.turns.wait([{ kind: 'tenant', id: String(order.org) }], 1, signal);
    return await this.#thread.ask(order, signal);
  }
}

/**
 * What a read finds, all of one moment if the connection sees one.
 *
 * @param assertWanted called between the steps of the read; what it throws ends the read
 */
export function answer(connection: Connection, order: ReadOrder, assertWanted: AssertWanted): Stats | RelevantFound {
  const { org, query } = order;
  const organizations = new Organizations(connection);
  if (order.kind === 'stats') return readStats({ connection, organizations, org, assertWanted }, order.query);
  const selection = select(connection, org, query);
  const allowed = selection && new NumberSet(matchingSeqs(connection, org, selection));
  const scope = {
    org,
    counts: organizations.counts(org),
    backlog: notIndexed(connection, order.backlog),
    includeDeleted: query.includeDeleted,
    assertWanted,
    isAllowed: (seq: number) => !allowed || allowed.has(seq),
  };
  return relevantTo(connection, scope, order.query.text, order.query.limit);
}

/** What went into the index meanwhile is found there. */
function notIndexed(connection: Connection, backlog: readonly MemoryTerms[]): MemoryTerms[] {
  const indexedTo = connection.get<{ seq: number }>('SELECT seq FROM keyword_state')?.seq ?? 0;
  return backlog.filter(({ seq }) => seq > indexedTo);
}
