import type { ShareExceededError } from './owner.js';
import { type ResourceBounds, SharedResource } from './shared-resource.js';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

/** Half of the time after which the SDK gives up. */
const MAX_WAIT_MS = 15_000;

/** Bounds of a resource, and how a refusal names it. */
export interface NamedBounds extends ResourceBounds {
  /** What the amounts count, as it follows a number: "64 requests under way". */
  unit: string;
  /** Amount of one unit; 1 unless given. */
  unitSize?: number;
  /** Seconds after which a refused caller may try again. */
  retryAfterSeconds: number;
}

/**
 * Every resource that tenants share. docs/fairness.md has the same table for operators.
 *
 * Kinds of owners: a `tenant` is an organization; an `address` is that of a caller without a credential, an IPv6
 * network of 64 bits counting as one; a `person` is a user with a session; `anonymous` is all callers without a credential together.
 */
export const BOUNDS = {
  /**
   * Requests being answered, from the end of the body until the answer is made. A tenant has a quarter, so that four
   * are needed to use all; callers without a credential have a half together, so that they never use all.
   */
  requests: {
    capacity: 256,
    shares: { tenant: 64, address: 64, anonymous: 128 },
    unit: 'requests under way',
    retryAfterSeconds: 1,
  },
  /** Bodies being read. They cost a socket and a buffer, so there may be more of them than of requests. */
  bodies: {
    capacity: 1_024,
    shares: { tenant: 128, address: 64, anonymous: 512 },
    unit: 'bodies under way',
    retryAfterSeconds: 1,
  },
  /** Bytes of bodies that are read or worked on. The largest body, a batch of 32 MiB, fits twice into a share. */
  bodyBytes: {
    capacity: 256 * MEBIBYTE,
    shares: { tenant: 64 * MEBIBYTE, address: 32 * MEBIBYTE, anonymous: 96 * MEBIBYTE },
    unit: 'MiB of bodies under way',
    unitSize: MEBIBYTE,
    retryAfterSeconds: 5,
  },
  /** Bytes of answers that callers have not read yet. A page has at most `PAGE_BYTES` of memories. */
  answerBytes: {
    capacity: 256 * MEBIBYTE,
    shares: { tenant: 32 * MEBIBYTE, address: 8 * MEBIBYTE, anonymous: 64 * MEBIBYTE },
    unit: 'MiB of answers under way that are not read',
    unitSize: MEBIBYTE,
    retryAfterSeconds: 5,
  },
  /**
   * Keyword searches and statistics of large organizations, in the read thread of the embedded store. The thread does
   * one at a time, and tenants take turns: what one tenant has waiting delays another's read by one. A tenant may have
   * a quarter of the places to wait.
   */
  heavyReads: {
    capacity: 1,
    shares: {},
    maxWaiting: 128,
    waitingShares: { tenant: 32 },
    maxWaitMs: MAX_WAIT_MS,
    unit: 'keyword searches and statistics waiting',
    retryAfterSeconds: 5,
  },
  /**
   * Writes of memories and settings. The embedded store has one writer, which commits up to 64 at a time, those of one
   * tenant in order and tenants in turn. In MongoDB each tenant's run one after the other. A tenant's share of
   * the queue is four times what its requests may ask for, so only a flood from within the process is refused.
   */
  writes: {
    capacity: 64,
    shares: {},
    maxWaiting: 1_024,
    waitingShares: { tenant: 256 },
    maxWaitMs: MAX_WAIT_MS,
    unit: 'writes waiting',
    retryAfterSeconds: 2,
  },
  /**
   * Deliveries to endpoints of customers under way. They wait for the network and use little else. One tenant has at
   * most an eighth of them, over all of its endpoints, so that endpoints that never answer leave room for others.
   */
  deliveries: {
    capacity: 128,
    shares: { tenant: 16, endpoint: 4 },
    unit: 'deliveries under way',
    retryAfterSeconds: 1,
  },
  /**
   * Look-ups of the host names of endpoints. The queue holds what the deliveries under way may ask for, so a look-up is
   * never refused, and one tenant's names that nobody answers for do not delay another's.
   */
  lookups: {
    capacity: 64,
    shares: { tenant: 8 },
    maxWaiting: 128,
    maxWaitMs: MAX_WAIT_MS,
    unit: 'look-ups under way',
    retryAfterSeconds: 1,
  },
  /** Inbound deliveries being ingested. One tenant has at most half of them, and tenants take turns. */
  ingestJobs: {
    capacity: 4,
    shares: { tenant: 2 },
    unit: 'inbound deliveries being ingested',
    retryAfterSeconds: 1,
  },
  /**
   * Pages of memories being read and written as answers, from the store to the first byte sent. A page takes some
   * milliseconds of the only thread, and is followed by a rest a quarter as long. Tenants take turns.
   */
  pages: {
    capacity: 4,
    shares: { tenant: 2 },
    maxWaiting: 512,
    waitingShares: { tenant: 128 },
    maxWaitMs: MAX_WAIT_MS,
    unit: 'pages waiting',
    retryAfterSeconds: 2,
  },
  /**
   * Checks and local embeddings of more than 5,000 characters, in a thread beside the event loop: some 10 to 200 ms for
   * the longest content. They run one at a time, and tenants take turns.
   */
  longWork: {
    capacity: 1,
    shares: {},
    maxWaiting: 1_024,
    waitingShares: { tenant: 256 },
    maxWaitMs: MAX_WAIT_MS,
    unit: 'long contents waiting',
    retryAfterSeconds: 2,
  },
  /**
   * Passwords being hashed. Each takes a thread, 32 MiB, and about a third of a second on purpose.
   * A caller with a session counts as a person, any other by its address, and each has one at a time. A full queue is
   * some 3 s long; whoever waits longer meets a machine that is busy with other things.
   */
  passwords: {
    capacity: 2,
    shares: { address: 1, person: 1 },
    maxWaiting: 16,
    waitingShares: { address: 4, person: 2 },
    maxWaitMs: 5_000,
    unit: 'passwords waiting',
    retryAfterSeconds: 2,
  },
  /**
   * Scans of large vector indexes, in the threads of the embedded store. The threads take up to eight scans of one
   * index together, so a tenant has two times as many. Every search of a tenant's share of `requests` may wait.
   */
  vectorScans: {
    capacity: 32,
    shares: { tenant: 16 },
    maxWaiting: 512,
    waitingShares: { tenant: 128 },
    maxWaitMs: MAX_WAIT_MS,
    unit: 'searches by meaning waiting',
    retryAfterSeconds: 5,
  },
  /** Searches and statistics that MongoDB works on. They leave connections of its pool of 50 to writes and other reads. */
  databaseReads: {
    capacity: 32,
    shares: { tenant: 16 },
    maxWaiting: 512,
    waitingShares: { tenant: 128 },
    maxWaitMs: MAX_WAIT_MS,
    unit: 'searches and statistics waiting',
    retryAfterSeconds: 5,
  },
} as const satisfies Readonly<Record<string, NamedBounds>>;

export type ResourceName = keyof typeof BOUNDS;

/** Deliveries under way to one endpoint while it is slow. */
export const SLOW_ENDPOINT_SHARE = 1;

/** Bytes of content and metadata in one page of memories. One memory is always in it. */
export const PAGE_BYTES = 2 * MEBIBYTE;

export const DEADLINES = {
  /** A body must be complete after this time and one second for each `bodyBytesPerSecond` that have come. */
  bodyMs: 10_000,
  bodyBytesPerSecond: 64 * KIBIBYTE,
  /** A caller that reads nothing of its answer for this time is disconnected. */
  answerIdleMs: 30_000,
  /** A caller that has not read its whole answer after this time is disconnected. */
  answerMs: 300_000,
  /** One look-up of a host name, after which the name counts as unresolved. */
  lookupMs: 3_000,
} as const;

/** What one JSON body may hold. More is refused before it is parsed. */
export const JSON_BOUNDS = {
  /** Values in all: elements of lists, members of objects, and the lists and objects themselves. */
  values: 50_000,
  /** Values in all of a batch, and of an event that its sender signed. */
  batchValues: 200_000,
  /** Members of one object. */
  members: 1_000,
} as const;

const LEAST_SHARE = 8;

/** Makes a resource. @param capacity in place of the default one; the shares change in proportion */
export function sharedResource(name: ResourceName, capacity: number = BOUNDS[name].capacity): SharedResource {
  const bounds: NamedBounds = BOUNDS[name];
  const scale = capacity / bounds.capacity;
  const shares = Object.entries(bounds.shares).map(([kind, share]): [string, number] => [
    kind,
    Math.max(Math.min(share, LEAST_SHARE), Math.floor(share * scale)),
  ]);
  return new SharedResource(name, { ...bounds, capacity, shares: Object.fromEntries(shares) });
}

/** What a refused caller is told: which share is in use, and when to try again. */
export function refusal(error: ShareExceededError): { message: string; retryAfterSeconds: number } {
  const { resource, by, limit, waitedMs } = error;
  const { unit, unitSize = 1, retryAfterSeconds }: NamedBounds = BOUNDS[resource as ResourceName];
  const amount = waitedMs === undefined ? limit / unitSize : 'other';
  const waited = waitedMs === undefined ? '' : `, and no turn came within ${waitedMs / 1_000} s`;
  return { message: `${nameOwner(by)} ${amount} ${unit}${waited}: try again`, retryAfterSeconds };
}

/** The beginning of a refusal: whose bound it is. */
export function nameOwner(kind: string): string {
  return OWNERS[kind] ?? 'The service already has';
}

const OWNERS: Readonly<Record<string, string>> = {
  tenant: 'Your organization already has',
  person: 'You already have',
  credential: 'Your credential already has',
  address: 'Your address already has',
  anonymous: 'Callers without a credential already have',
};
