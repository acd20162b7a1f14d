import type { AuditEvent } from '../domain/account/audit-event.js';
import type { OrganizationSettings } from '../domain/account/organization.js';
import type { DailyKind } from '../domain/billing/usage-day.js';
import type { Place } from '../domain/documents/chunk.js';
import type { Memory, Scope } from '../domain/memory/memory.js';
import type { MemoryVersion } from '../domain/memory/version.js';
import type { Microseconds } from '../domain/timestamp.js';
import type { AccountUnit } from './account-store.js';
import type { ErasureUnit } from './erasure-store.js';
import type { InboundUnit } from './inbound-store.js';
import type { NewJob } from './job-queue.js';
import type { OutboundUnit } from './outbound-store.js';
import type { SubscriptionUnit } from './subscription-store.js';

/** One transaction of one organization. Its reads include its own earlier writes. */
export interface UnitOfWork extends UnitHints {
  readonly organizationId: string;
  /** Members, tokens and invitations of the organization. */
  readonly accounts: AccountUnit;
  readonly subscriptions: SubscriptionUnit;
  /** Inbound webhooks of the organization and their deliveries. */
  readonly inbound: InboundUnit;
  /** Outbound webhooks of the organization and their deliveries. */
  readonly outbound: OutboundUnit;
  readonly erasures: ErasureUnit;

  /**
   * Advances the organization's clock to the present, or by one microsecond if it is already past the present. Ticks
   * commit in order, so a reader that has seen one has seen all earlier ones.
   */
  tick(): Promise<Microseconds>;
  /** Sets the organization's clock. Returns false and changes nothing unless `to` is later than its last value. */
  advance(to: Microseconds): Promise<boolean>;
  /** Returns `from`, or a time soon after it, at which no memory was created. */
  freeTime(from: Microseconds): Promise<Microseconds>;

  settings(): Promise<OrganizationSettings>;
  /**
   * If `embeddingFingerprint` becomes what `pendingFingerprint` was, the pending vectors become the searched ones, and
   * the vectors searched before remain until `deleteFormerVectors` deletes them.
   */
  saveSettings(settings: OrganizationSettings): Promise<void>;
  /** Reports if any memory, deleted or not, has a subject key. */
  anySubjectKey(): Promise<boolean>;

  /** Returns soft-deleted memories too, and undefined for unknown and malformed ids. */
  findById(id: string): Promise<Memory | undefined>;
  /** Returns the active memory of this place with exactly this content. */
  findActiveByContent(place: Place, contentHash: string): Promise<Memory | undefined>;
  /** Returns at most `limit` active memories of this place whose contents have this `hashWords`, oldest first. */
  findActiveByWords(place: Place, wordsHash: string, limit: number): Promise<Memory[]>;
  /**
   * Returns the oldest active memory of this place whose content has this `hashFold`. May return a newer one if older
   * ones were stored after newer ones. Memories of an earlier release, with another `hashWords`, are not found.
   *
   * @param hashes both of the same content
   */
  findActiveByFold(place: Place, hashes: Pick<Indexed, 'wordsHash' | 'foldHash'>): Promise<Memory | undefined>;
  /** Returns the active memories that will expire, the earliest first. */
  findExpiring(limit: number): Promise<Memory[]>;
  /** Returns the active memory with this key and scope, or else the one that was deleted last. */
  findByExternalKey(externalKey: string, scope: Scope): Promise<Memory | undefined>;
  /**
   * Returns the cosine of a memory's vector and `embedding`, clipped to [0, 1]. Returns undefined if the memory has no
   * vector of the embedder in the settings. `embedding` has unit length.
   */
  similarityOf(id: string, embedding: Float32Array): Promise<number | undefined>;

  /**
   * Stores a new memory, and lowers `nextExpiry` of the settings to its expiresAt. Its createdAt comes from `tick` or
   * `freeTime`, so it is unique. Its updatedAt is the current time of the organization's clock.
   *
   * @throws {DuplicateMemoryError} here or from `transact`
   */
  insert(memory: Memory, indexed: Indexed, options?: InsertOptions): Promise<void>;
  findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined>;
  /** Returns the last version of a memory, or undefined if none is kept. */
  findLastVersion(memoryId: string): Promise<MemoryVersion | undefined>;
  /** Returns the highest version number that a memory has ever had, or 0 before its first version. */
  countVersions(memoryId: string): Promise<number>;
  /**
   * Stores an earlier state of a memory, and removes versions beyond `keptVersions` of the settings. Its number is
   * above `countVersions`, and its `replacedAt` is later than that of every other version of the memory.
   */
  insertVersion(version: MemoryVersion): Promise<void>;

  /**
   * Replaces a memory with its new state, and lowers `nextExpiry` as `insert` does. Keeps the former state as a version
   * if `replacesState` is true for the two.
   *
   * @param indexed required if the content changes
   * @throws {DuplicateMemoryError} here or from `transact`
   */
  update(memory: Memory, indexed?: Indexed): Promise<void>;
  /**
   * Removes a soft-deleted memory with its vector and its words. Its tombstone stays in the list of changes.
   *
   * @param at from `tick`
   */
  purge(id: string, at: Microseconds): Promise<void>;
  /**
   * Stores the vector of a memory by the pending embedder, and changes nothing else.
   *
   * @param pending from the embedder of `pendingFingerprint`
   */
  storePending(id: string, pending: EmbeddedBy): Promise<void>;
  /** Reports if every memory, deleted or not, has a vector of the pending embedder. */
  isPendingComplete(): Promise<boolean>;
  /**
   * Deletes at most `limit` vectors of the embedder of `formerFingerprint`, which are neither searched nor pending.
   *
   * @returns how many it deleted
   */
  deleteFormerVectors(limit: number): Promise<number>;
  /** Replaces the keyword terms of a memory and nothing else. */
  replaceTerms(id: string, terms: readonly string[]): Promise<void>;

  /** Stores a job that the job queue runs after the unit has committed. */
  enqueue(job: NewJob): Promise<void>;

  recordAudit(event: AuditEvent): Promise<void>;
  /**
   * Adds to the ingest count of a period. Returns false and adds nothing if the count would exceed `cap`.
   *
   * @param period key of a UsagePeriod
   */
  countIngest(period: string, amount: number, cap?: number): Promise<boolean>;
  /** Counts a use on a day, if the unit commits. A crash may lose the counts of the last second. */
  countDaily(day: string, kind: DailyKind): Promise<void>;
  /** Returns the ingest count of a period. */
  ingested(period: string): Promise<number>;
  /** Returns the sum of `bytesOf` over the organization's active memories. */
  storedBytes(): Promise<number>;
}

export interface InsertOptions {
  /** True if the id comes from an archive, so another organization may have the same id. */
  isForeign?: boolean;
}

/** Optional members of a unit of work. An adapter may omit any of them: no result of the unit depends on them. */
export interface UnitHints {
  /**
   * Announces the unit's reads, so that the store can fetch all of them at once. Called before any other method of the
   * unit. Without it, each read happens when the unit asks for it.
   */
  expect?(expected: Expected): Promise<void>;
}

/** Reads that a unit of work announces. */
export interface Expected {
  writes?: readonly ExpectedWrite[];
  /** Ids of memories. */
  ids?: readonly string[];
  /** Period whose ingest count is read. */
  period?: string;
}

/** Reads of one write: by its content, its near-duplicates and its external key. */
export interface ExpectedWrite extends Place, Pick<Indexed, 'contentHash'> {
  /** Undefined if near-duplicates will not be read. */
  wordsHash?: string;
  /** Replaces `wordsHash` for memories of an earlier release. */
  formerWordsHash?: string;
  /** Id from an archive, which a memory of another organization may have. */
  id?: string;
  /** Time at which the memory is created, if it is free. */
  createdAt?: Microseconds;
  externalKey?: string;
  scope: Scope;
}

/** A vector and its embedder. */
export interface EmbeddedBy {
  /** Unit length. */
  embedding: Float32Array;
  /** Fingerprint of the embedder that made the vector. */
  fingerprint: string;
}

/** Values by which a store finds content. */
export interface Indexed extends EmbeddedBy {
  /** `hashContent` of the content. */
  contentHash: string;
  /** `hashWords` of the content. */
  wordsHash: string;
  /** `hashFold` of the content. */
  foldHash: string;
  /** `termsOf` the content. */
  terms: readonly string[];
  /**
   * Vector of the same content by the embedder of `pendingFingerprint`. Without it, a pending vector of the memory is
   * deleted.
   */
  pending?: EmbeddedBy;
}
