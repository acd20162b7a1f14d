import type { ShareExceededError } from './owner.js';
import { type ResourceBounds, SharedResource } from './shared-resource.js';

const KIBIBYTE = 1_024;
const MEBIBYTE = 1_024 * KIBIBYTE;

/** Half of the default timeout of the SDK. */
const MAX_WAIT_MS = 15_000;

/** Bounds of a resource, and its name in errors. */
export interface NamedBounds extends ResourceBounds {
  /** Text that follows the amount in an error: "64 requests under way". */
  unit: string;
  /** Amount of one unit. Default: 1. */
  unitSize?: number;
  /** Seconds after which a rejected caller may retry. */
  retryAfterSeconds: number;
}

/**
 * Every resource that tenants share. docs/fairness.md has the same table for operators.
 *
 * Kinds of owners: `tenant` is an organization, `person` a user with a session, `address` the address of a caller
 * without a credential (for IPv6, its /64 network), and `anonymous` all callers without a credential together.
 */
export const BOUNDS = {
  /**
   * Requests from the end of their body until the response is built. A tenant may use a quarter, so that it takes
   * four tenants to use all. Callers without a credential may use half together, so that they never use all.
   */
  requests: {
    capacity: 256,
    shares: { tenant: 64, address: 64, anonymous: 128 },
    unit: 'requests under way',
    retryAfterSeconds: 1,
  },
  /** Bodies that are being read. Each costs a socket and a buffer, so there may be more bodies than requests. */
  bodies: {
    capacity: 1_024,
    shares: { tenant: 128, address: 64, anonymous: 512 },
    unit: 'bodies under way',
    retryAfterSeconds: 1,
  },
  /** Bytes of bodies that are being read or processed. A share fits two bodies of the maximum size, 32 MiB. */
  bodyBytes: {
    capacity: 256 * MEBIBYTE,
    shares: { tenant: 64 * MEBIBYTE, address: 32 * MEBIBYTE, anonymous: 96 * MEBIBYTE },
    unit: 'MiB of bodies under way',
    unitSize: MEBIBYTE,
    retryAfterSeconds: 5,
  },
  /** Bytes of responses that callers have not read yet. A page has at most `PAGE_BYTES` of memories. */
  answerBytes: {
    capacity: 256 * MEBIBYTE,
    shares: { tenant: 32 * MEBIBYTE, address: 8 * MEBIBYTE, anonymous: 64 * MEBIBYTE },
    unit: 'MiB of answers under way that are not read',
    unitSize: MEBIBYTE,
    retryAfterSeconds: 5,
  },
  /**
   * Keyword searches and statistics of large organizations, in the read thread of the embedded store. The thread runs
   * one read at a time, and tenants take turns. A tenant's queue therefore delays another tenant by one read at most. A
   * tenant may use a quarter of the queue.
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
   * Writes of memories and settings. The embedded store has one writer. It commits up to 64 writes at a time, with
   * tenants in turn and the writes of a tenant in order. In MongoDB, the waiting writes of a tenant share a transaction. A
   * tenant's share of the queue is four times its share of requests. Requests alone therefore never exceed it.
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
   * Running deliveries to endpoints of customers. They mostly wait for the network. One tenant may use an eighth over
   * all its endpoints, so that endpoints that never respond do not block other tenants.
   */
  deliveries: {
    capacity: 128,
    shares: { tenant: 16, endpoint: 4 },
    unit: 'deliveries under way',
    retryAfterSeconds: 1,
  },
  /**
   * Look-ups of the host names of endpoints. The queue is as large as the number of running deliveries, so a look-up is
   * never rejected. Names of one tenant that do not resolve do not delay other tenants.
   */
  lookups: {
    capacity: 64,
    shares: { tenant: 8 },
    maxWaiting: 128,
    maxWaitMs: MAX_WAIT_MS,
    unit: 'look-ups under way',
    retryAfterSeconds: 1,
  },
  /** Inbound deliveries that are being ingested. One tenant may use half, and tenants take turns. */
  ingestJobs: {
    capacity: 4,
    shares: { tenant: 2 },
    unit: 'inbound deliveries being ingested',
    retryAfterSeconds: 1,
  },
  /**
   * Pages of memories that are being read and serialized, until their first byte is sent. A page takes a few
   * milliseconds of the event loop, or of a thread, and a pause of a quarter of that time follows. Tenants take turns.
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
   * Checks and local embeddings of more than 5,000 characters, in a thread of their own: about 10 to 200 ms for the
   * longest content. They run one at a time, and tenants take turns.
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
   * Calls of the embedding provider, with their retries. One tenant may use half, so that texts that the provider is
   * slow to embed delay other tenants by one call at most. The longest wait leaves a call 5 of its 15 s.
   */
  embeddingCalls: {
    capacity: 8,
    shares: { tenant: 4 },
    maxWaiting: 256,
    waitingShares: { tenant: 64 },
    maxWaitMs: 10_000,
    unit: 'calls of the embedding provider waiting',
    retryAfterSeconds: 5,
  },
  /**
   * Passwords that are being hashed. Each uses a thread, 32 MiB, and on purpose about a third of a second. A caller
   * with a session counts as a person, and any other caller by address; each has one at a time. A full queue takes
   * about 3 s. A longer wait means that the machine is busy with other work.
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
   * Scans of large vector indexes, in the threads of the embedded store. The threads combine up to eight scans of one
   * index, so a tenant may run twice as many. Every search of a tenant's share of `requests` may wait.
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
  /** Searches and statistics in MongoDB. The bound leaves connections of the pool for writes and other reads. */
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

/** Maximum number of running deliveries to one endpoint while it is slow. */
export const SLOW_ENDPOINT_SHARE = 1;

/** Maximum bytes of content and metadata in one page. A page always contains at least one memory. */
export const PAGE_BYTES = 2 * MEBIBYTE;

/** Maximum bytes of content and metadata in a page of previews, which a browser loads while a person scrolls. */
export const PREVIEW_PAGE_BYTES = 128 * KIBIBYTE;

export const DEADLINES = {
  /** Time for a complete body, plus one second for each `bodyBytesPerSecond` that have arrived. */
  bodyMs: 10_000,
  bodyBytesPerSecond: 64 * KIBIBYTE,
  /** Time without reading any of the response after which a caller is disconnected. */
  answerIdleMs: 30_000,
  /** Time after which a caller is disconnected unless it has read the whole response. */
  answerMs: 300_000,
  /** Time for one look-up of a host name, after which the name counts as unresolved. */
  lookupMs: 3_000,
} as const;

/** Limits of one JSON body. Larger bodies are rejected before they are parsed. */
export const JSON_BOUNDS = {
  /** Number of values: elements of arrays, members of objects, and the arrays and objects themselves. */
  values: 50_000,
  /** Number of values in a batch or in a signed event. */
  batchValues: 200_000,
  /** Members of one object. */
  members: 1_000,
} as const;

const MIN_SHARE = 8;

/** @param capacity replaces the default one; the shares change in proportion */
export function sharedResource(name: ResourceName, capacity: number = BOUNDS[name].capacity): SharedResource {
  const bounds: NamedBounds = BOUNDS[name];
  const scale = capacity / bounds.capacity;
  const shares = Object.entries(bounds.shares).map(([kind, share]): [string, number] => [
    kind,
    Math.max(Math.min(share, MIN_SHARE), Math.floor(share * scale)),
  ]);
  return new SharedResource(name, { ...bounds, capacity, shares: Object.fromEntries(shares) });
}

/** Returns the error message for a rejected caller, which names the share in use, and the time to retry after. */
export function refusal(error: ShareExceededError): { message: string; retryAfterSeconds: number } {
  const { resource, by, limit, waitedMs } = error;
  const { unit, unitSize = 1, retryAfterSeconds }: NamedBounds = BOUNDS[resource as ResourceName];
  const amount = waitedMs === undefined ? limit / unitSize : 'other';
  const waited = waitedMs === undefined ? '' : `, and no turn came within ${waitedMs / 1_000} s`;
  return { message: `${nameOwner(by)} ${amount} ${unit}${waited}: try again`, retryAfterSeconds };
}

/** Returns the beginning of the error message, which names the kind of owner. */
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
