import type { DocumentName } from '../domain/documents/document.js';
import type { Filter } from '../domain/filter/filter.js';
import type { Interval } from '../domain/memory/buckets.js';
import type { Memory } from '../domain/memory/memory.js';
import type { Scalar } from '../domain/memory/scalar.js';
import type { PageQuery } from '../domain/page.js';
import type { Recency } from '../domain/retrieval/recency.js';
import type { Microseconds } from '../domain/timestamp.js';
import type { ExpectedWrite } from './unit-of-work.js';

/**
 * Reads committed state. Each read is consistent in itself.
 *
 * Reads that may take long have a `signal`. After an abort, the read leaves every queue, stops at its next step and
 * rejects with the reason of the signal.
 */
export interface MemoryReader {
  /** Returns soft-deleted memories too, and undefined for unknown and malformed ids. */
  findById(organizationId: string, id: string): Promise<Memory | undefined>;

  /** Reports for each id if `findById` would return a memory. */
  areStored(organizationId: string, ids: readonly string[]): Promise<boolean[]>;

  /** Reports for each content if an active memory of its subject has exactly this content, in any chunk. */
  areActive(
    organizationId: string,
    contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
  ): Promise<boolean[]>;

  /**
   * Lists memories. If ordered by change, with deleted memories and without a filter, the list also contains the
   * tombstones of purged memories. A tombstone has no fields that a filter could match.
   */
  list(organizationId: string, query: ListQuery, signal?: AbortSignal): Promise<ListedMemory[]>;

  /**
   * Lists memories as text, without tombstones. Absent if the store has no faster way than to read and serialize the
   * memories of `list`.
   */
  listLines?(organizationId: string, query: LinesQuery, signal?: AbortSignal): Promise<MemoryLines>;

  /** Counts memories by interval, and in each interval by the most frequent values of a metadata key. */
  histogram(organizationId: string, query: HistogramQuery, signal?: AbortSignal): Promise<Histogram>;

  /** Returns at most `limit` ids of the active memories that match a filter, oldest first, and the count of all. */
  findMatching(organizationId: string, filter: Filter, limit: number): Promise<{ ids: string[]; count: number }>;

  stats(organizationId: string, query: StatsQuery, signal?: AbortSignal): Promise<Stats>;

  /**
   * Returns the `limit` most similar memories, best first. All conditions apply before the limit does. Only vectors of
   * the embedder in the organization's settings are compared.
   *
   * @throws {EmbedderReplacedError} if the query names another embedder than the settings
   */
  nearest(organizationId: string, query: VectorQuery, signal?: AbortSignal): Promise<Match[]>;

  /**
   * Returns the vectors by which `nearest` ranks memories, soft-deleted or not, by their ids. Omits a memory that is
   * unknown or whose vector comes from an embedder with another fingerprint.
   */
  findVectors(organizationId: string, ids: readonly string[], fingerprint: string): Promise<Map<string, Float32Array>>;

  /**
   * Returns the best matches by the words that they share with the query.
   *
   * @throws {EmbedderReplacedError} if the query compares with a vector of another embedder than that of the settings
   */
  matching(organizationId: string, query: KeywordQuery, signal?: AbortSignal): Promise<KeywordMatches>;

  /**
   * Counts the memories of each document that match a scope, in the order of the documents.
   *
   * @param documents distinct documents, each of a memory that the scope matches
   */
  countByDocument(
    organizationId: string,
    scope: ReadScope,
    documents: readonly DocumentName[],
    signal?: AbortSignal,
  ): Promise<number[]>;

  /** Returns ids of memories that were soft-deleted, or imported as deleted, before a time; the earliest first. */
  findDeleted(organizationId: string, before: Microseconds, limit: number): Promise<string[]>;

  /**
   * Returns memories, deleted or not, that have no vector of the pending embedder.
   *
   * @param after `next` of the page before. If undefined, it starts with the oldest memory
   */
  findUnembedded(organizationId: string, limit: number, after?: Microseconds): Promise<UnembeddedPage>;
  /** Counts all memories, deleted or not, and those that have no vector of the pending embedder, if there is one. */
  countUnembedded(organizationId: string): Promise<{ all: number; unembedded: number }>;
}

export interface UnembeddedPage {
  memories: Memory[];
  /** Position of the next page, which may be empty. Undefined at the end. */
  next: Microseconds | undefined;
}

export interface ReadScope {
  filter: Filter;
  includeDeleted: boolean;
}

/** The memories that a search may return. */
export interface SearchScope extends ReadScope {
  /** Documents whose memories the search leaves out. */
  outside?: readonly DocumentName[];
}

/** The states of the memories that a list contains: active ones, all, or only deleted ones. */
export type Included = boolean | 'only';

export interface ListQuery extends PageQuery {
  filter: Filter;
  includeDeleted: Included;
  /**
   * Sorts by createdAt ascending, createdAt descending, updatedAt ascending, or updatedAt descending; the id breaks
   * ties.
   */
  order: 'oldest' | 'newest' | 'changed' | 'lastChanged';
  /** Inclusive lower bound on the time that `order` sorts by. */
  since?: Microseconds | undefined;
  /** Exclusive upper bound on the time that `order` sorts by. It does not bound tombstones. */
  until?: Microseconds | undefined;
  /** If true, leaves out tombstones. */
  memoriesOnly?: boolean;
  /** If set, the contents are cut to this number of characters, and `contentLength` is set. */
  preview?: number | undefined;
  /**
   * Bound on the bytes of content and metadata. The list may end after the memory that exceeds it, but never before the
   * second memory. Unbounded by default.
   */
  maxBytes?: number;
}

/** Selects a page of at most `limit` memories and `maxBytes`; the first memory always fits. */
export type LinesQuery = Omit<ListQuery, 'memoriesOnly' | 'preview' | 'maxBytes'> & { maxBytes: number };

/** A page of memories as text. */
export interface MemoryLines {
  /** JSON lines in UTF-8: each memory in the form of the contract, ended by a line feed. */
  lines: Uint8Array;
  hasMore: boolean;
  /** The last memory; undefined for an empty page. */
  last?: Pick<Memory, 'id' | 'createdAt' | 'updatedAt'>;
  /** Must be called when `lines` are not used any more: the store then writes another page in their memory. */
  release?: () => void;
}

export interface ListedMemory extends Memory {
  /** Characters of the whole content. */
  contentLength?: number;
}

export interface HistogramQuery {
  filter: Filter;
  includeDeleted: Included;
  /** Time of a memory that decides its interval. */
  time: 'createdAt' | 'updatedAt';
  /** Inclusive. */
  since: Microseconds;
  /** Exclusive. */
  until: Microseconds;
  interval: Interval;
  /** Start of each interval, ascending and without gaps. The first may be before `since`. */
  starts: readonly Microseconds[];
  /** Metadata key to split the counts by, and the maximum number of its values. */
  facet?: { key: string; values: number } | undefined;
}

export interface Histogram {
  /** Number of memories in each interval. */
  counts: number[];
  /** The most frequent values first; equal counts in the order of their facets. Set if a facet is requested. */
  series?: FacetSeries[];
}

/** A value of a metadata key, and its number of memories in each interval. */
export interface FacetSeries extends FacetCount {
  counts: number[];
}

export interface StatsQuery extends ReadScope {
  /** Metadata keys whose scalar values are counted. */
  facets: readonly string[];
  /** Maximum number of values per facet; the most frequent are kept. */
  valuesPerFacet: number;
}

export interface Stats {
  facets: Record<string, FacetCount[]>;
  /** Number of memories, whatever the filter. */
  total: number;
  /** Number of memories that match the filter. */
  filtered: number;
}

export interface FacetCount {
  value: Scalar;
  count: number;
}

/** A vector that stored ones are compared with. */
export interface ComparedVector {
  /** Unit length, from the organization's embedder. */
  vector: Float32Array;
  /** Fingerprint of that embedder. If undefined, it is not checked. */
  fingerprint?: string;
}

export interface VectorQuery extends SearchScope, ComparedVector {
  limit: number;
  /** Minimum similarity, in [0, 1]. */
  minSimilarity?: number;
  /** If set, ranks by the blended score instead of the similarity. */
  recency?: Recency;
  /**
   * If true, every memory that matches the filter is compared, however long that takes. Otherwise a store may use an
   * index that misses a few of the best matches in a large organization.
   */
  exact?: boolean;
}

export interface Match {
  memory: Memory;
  /** Cosine clipped to [0, 1], from the stored vector. */
  similarity: number;
  /** Value that the matches are ranked by: the similarity, or its blend with recency. */
  score: number;
}

export interface KeywordQuery extends SearchScope {
  /**
   * Plain words, no syntax. A memory that contains any of them matches; rare words weigh more. A store ignores stop
   * words if a memory contains another word of the query. If the query has rarer words, it may ignore words that occur in
   * many memories of a large organization; if it has none, it may rank only some of these memories. Beyond
   * `MAX_QUERY_TERMS` distinct words only the rarest count, and beyond `MAX_COUNTED_TERMS` only the rarest of the longest.
   */
  text: string;
  limit: number;
  /** If set, the matches have their similarity to a vector. */
  comparedTo?: ComparedVector;
  /** If set, the result has only some of the `limit` matches. A store need not read the others. */
  kept?: KeptMatches;
}

/** Selects the best matches by a score of the caller. */
export interface KeptMatches {
  /** Number of matches that are kept, together with those that are equal to the last of them. */
  limit: number;
  /**
   * Returns the score of a match, or undefined if it is not a result. Must not decrease with the similarity.
   *
   * @param most upper bound of every relevance
   */
  scoreOf(match: MatchValues, most: number): number | undefined;
}

/** The values of a match that its score depends on. */
export interface MatchValues {
  createdAt: Microseconds;
  relevance: number;
  /** 0 if the query has no `comparedTo`. */
  similarity: number;
}

export interface KeywordMatches {
  /** Best first. */
  matches: KeywordMatch[];
  /** True if the search ignored words of the query, apart from common ones. */
  wordsLeftOut: boolean;
  /** Upper bound of every relevance. Query words that no memory contains raise it too. */
  most: number;
}

export interface KeywordMatch {
  memory: Memory;
  /** BM25, above 0. Values of different searches cannot be compared. */
  relevance: number;
  /** As in `Match`. Set if the query has `comparedTo`. */
  similarity?: number;
}
