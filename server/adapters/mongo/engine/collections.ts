import type { Binary, Collection, Db, ObjectId } from 'mongodb';
import type { AuditEvent } from '../../../domain/account/audit-event.js';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Subscription } from '../../../domain/billing/subscription.js';
import type { DailyKind } from '../../../domain/billing/usage-day.js';
import type { MetadataValue } from '../../../domain/filter/metadata-values.js';
import type { FacetKey } from '../../../domain/filter/named-keys.js';
import type { Tombstone } from '../../../domain/filter/tombstone.js';
import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { Erasure } from '../../../domain/memory/erasure.js';
import type { DeliveryAttempt, OutboundDelivery } from '../../../domain/outbound/delivery.js';
import type { Disabling, OutboundEndpoint } from '../../../domain/outbound/webhook.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { ApiToken, Invitation, Member, Session, User } from '../../../ports/account-store.js';
import type { JobData, JobName } from '../../../ports/job-queue.js';
import type { SignInLink } from '../../../ports/sign-in-link-store.js';
import type { Stored } from './documents.js';

/** The state of an organization. Every unit of work writes to it, which locks the organization. */
export interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Microseconds;
  settings: OrganizationSettings;
  /** Slot of the vectors that searches compare; see `VectorSlot`. Absent before the first change of the embedder. */
  vectorSlot?: 'first' | 'second';
  /** The last tick. */
  clock: Microseconds;
  /** The latest createdAt of a memory. */
  newest: Microseconds;
  /** Number of units of work so far. */
  revision: number;
  /** Equals `revision` unless a server of an earlier release, which counts no facets, has written. */
  facetRevision?: number;
  /** The memories that `FacetCountDocument` includes: those created until then. Absent if none are. */
  facetsTo?: Microseconds;
  active: number;
  deleted: number;
  /** Number of words of all contents, deleted ones included. */
  words: number;
  /** The sum of `bytesOf` of the active memories. */
  bytes: number;
}

/** An organization that was deleted and whose data is being removed. It has no `OrganizationDocument` any more. */
export interface DeletionDocument {
  _id: string;
  deletedAt: Microseconds;
}

/**
 * Vectors under names of their dimensions and slot, such as `d1024` and `d1024b`: a vector index covers one field and
 * one size.
 */
export type Embedding = Record<string, Binary | number[]>;

export interface MemoryDocument {
  _id: string;
  org: string;
  /** True if not deleted. */
  live: boolean;
  createdAt: Microseconds;
  updatedAt: Microseconds;
  deletedAt?: Microseconds;
  expiresAt?: Microseconds;
  distinct?: true;
  /** `subjectText` of the subject key. */
  subject: string;
  externalKey?: string;
  source: string;
  project: string;
  /** `chunkIdentity` of the metadata. Absent if the memory is not a chunk; `null` matches that. */
  chunk?: string | null;
  /** The document that `chunk` names. */
  document?: string;
  /** `ownHash`, as is `wordsHash`. */
  contentHash: string;
  wordsHash: string;
  /** Absent on memories of earlier releases. */
  foldHash?: string;
  /** Number of versions so far. Absent before the first one. */
  versions?: number;
  content: string;
  /** JSON text, so that keys never become field names. */
  metadata: string;
  /** All values that a filter can match, from `facetsOfMemory`. */
  facets: string[];
  /** The metadata values that a filter can compare, from `valuesOf`. */
  values: MetadataValue[];
  /** The distinct words of the content. `times` has the number of their occurrences. */
  terms: string[];
  times: number[];
  /** Words of the content, repeats included. */
  words: number;
  /** Embedder of the vector in the first slot. Empty if there is none. */
  fingerprint: string;
  /** Embedder of the vector in the second slot. Absent if there is none. */
  fingerprintB?: string;
  embedding: Embedding;
  /** Wall-clock time of the last change that the search index must learn. */
  indexedAt: Date;
  /** The same for the index of the second slot. */
  indexedAtB?: Date;
}

/** Number of memories of an organization that have one value of a counted metadata key. Absent if there are none. */
export interface FacetCountDocument {
  /** Compound of organization and facet. */
  _id: string;
  org: string;
  key: FacetKey;
  active: number;
  /** Number of memories, deleted ones included. */
  all: number;
  /** The value, if its facet only has a hash of it. */
  value?: string;
}

export interface MemoryVersionDocument {
  /** Compound of memory id and number. */
  _id: string;
  org: string;
  memoryId: string;
  number: number;
  updatedAt: Microseconds;
  replacedAt: Microseconds;
  /** `subjectText` of the subject key. */
  subject: string;
  content: string;
  /** JSON text. */
  metadata: string;
}

export interface ErasureDocument extends Omit<Stored<Erasure>, 'subjectKey'> {
  /** `subjectText` of the subject key. */
  subject?: string;
}

/** The tombstone of a purged memory. */
export type TombstoneDocument = Stored<Tombstone>;

export interface UserDocument extends Omit<User, 'id'> {
  _id: string;
  /** `foldEmail` of the address. */
  foldedEmail: string;
  /** Number of sign-ins. Each sign-in writes to the user. */
  signIns?: number;
  /** Number of organizations that the user made. Each of them writes to the user. */
  foundings?: number;
}

export interface MembershipDocument extends Pick<Member, 'userId' | 'role' | 'joinedAt'> {
  /** Compound of organization and user. */
  _id: string;
  org: string;
}

export interface InvitationDocument extends Stored<Invitation> {
  foldedEmail: string;
}

export interface SessionDocument extends Omit<Session, 'digest'> {
  /** Digest of the session secret. */
  _id: string;
}

interface SignInLinkDocument extends Omit<SignInLink, 'digest'> {
  /** Digest of the code. */
  _id: string;
}

/** The count of one kind of usage in one period. */
export interface UsageDocument {
  /** Compound of organization, period and kind. */
  _id: string;
  count: number;
}

/** The use of an organization on one day. Kinds without use are absent. */
export interface DailyUsageDocument extends Partial<Record<DailyKind, number>> {
  /** Compound of organization and day. */
  _id: string;
  org: string;
  day: string;
}

export interface SubscriptionDocument {
  /** Compound of organization and subscription. */
  _id: string;
  org: string;
  subscription: Subscription;
}

/** An event of the billing provider that was accepted. */
interface BillingEventDocument {
  /** Compound of organization and event. */
  _id: string;
  org: string;
  takenInAt: Microseconds;
}

export interface InboundWebhookDocument extends Omit<Stored<InboundWebhook>, 'previousSecret'> {
  /** The `previousSecret`. */
  previous?: { sealedSecret: string; until: Microseconds };
}

/** An outbound webhook. `disabled` is set while the webhook is not enabled. */
export interface OutboundWebhookDocument extends Omit<Stored<OutboundEndpoint>, 'sealedSecret'> {
  /** The `sealedSecret`. */
  secret: string;
  disabled?: Disabling;
}

/**
 * An outbound delivery, which has `payload` or `body`. Deliveries of earlier releases have their own `body`. The log of
 * attempts is absent before the first one.
 */
export interface OutboundDeliveryDocument extends Omit<Stored<OutboundDelivery>, 'body' | 'attemptLog'> {
  attemptLog?: readonly DeliveryAttempt[];
  payload?: string;
  body?: string;
}

/** The body that the deliveries of one event share. */
export interface OutboundPayloadDocument {
  _id: string;
  org: string;
  body: string;
}

export interface InboundDeliveryDocument extends Omit<InboundDelivery, 'key' | 'organizationId'> {
  /** Key of the delivery. */
  _id: string;
  org: string;
}

/** A job that is not done. If running, it has no `nextRunAt`. If failed for good, it has no lock either. */
export interface JobDocument {
  _id: ObjectId;
  name: JobName;
  data: JobData[JobName];
  nextRunAt: Date | null;
  lockedAt: Date | null;
  lastRunAt: Date | null;
  lastFinishedAt: Date | null;
  failedAt: Date | null;
  failCount: number;
  failReason: string | null;
  crashes: number;
}

/** The request counts of one window. */
export interface RateLimitDocument {
  _id: string;
  count: number;
  /** Requests by credential, if all credentials of a person are counted together. */
  by?: Record<string, number>;
  endsAt: Date;
}

/** The canary, which shows if a service has the keys of this database; see Canary. */
export interface EncryptionDocument {
  _id: string;
  canary: string;
}

export class Collections {
  readonly organizations: Collection<OrganizationDocument>;
  readonly deletions: Collection<DeletionDocument>;
  readonly memories: Collection<MemoryDocument>;
  readonly facetCounts: Collection<FacetCountDocument>;
  readonly memoryVersions: Collection<MemoryVersionDocument>;
  readonly erasures: Collection<ErasureDocument>;
  readonly tombstones: Collection<TombstoneDocument>;
  readonly users: Collection<UserDocument>;
  readonly memberships: Collection<MembershipDocument>;
  readonly tokens: Collection<Stored<ApiToken>>;
  readonly invitations: Collection<InvitationDocument>;
  readonly sessions: Collection<SessionDocument>;
  readonly signInLinks: Collection<SignInLinkDocument>;
  readonly auditEvents: Collection<Stored<AuditEvent>>;
  readonly usage: Collection<UsageDocument>;
  readonly dailyUsage: Collection<DailyUsageDocument>;
  readonly subscriptions: Collection<SubscriptionDocument>;
  readonly billingEvents: Collection<BillingEventDocument>;
  readonly inboundWebhooks: Collection<InboundWebhookDocument>;
  readonly inboundDeliveries: Collection<InboundDeliveryDocument>;
  readonly outboundWebhooks: Collection<OutboundWebhookDocument>;
  readonly outboundDeliveries: Collection<OutboundDeliveryDocument>;
  readonly outboundPayloads: Collection<OutboundPayloadDocument>;
  readonly jobs: Collection<JobDocument>;
  readonly probes: Collection<{ _id: string; writtenAt: Date }>;
  readonly rateLimits: Collection<RateLimitDocument>;
  readonly encryption: Collection<EncryptionDocument>;

  constructor(db: Db) {
    this.organizations = db.collection('organizations');
    this.deletions = db.collection('deleted_organizations');
    this.memories = db.collection('memories');
    this.facetCounts = db.collection('facet_counts');
    this.memoryVersions = db.collection('memory_versions');
    this.erasures = db.collection('erasures');
    this.tombstones = db.collection('tombstones');
    this.users = db.collection('users');
    this.memberships = db.collection('memberships');
    this.tokens = db.collection('api_tokens');
    this.invitations = db.collection('invitations');
    this.sessions = db.collection('sessions');
    this.signInLinks = db.collection('sign_in_links');
    this.auditEvents = db.collection('audit_events');
    this.usage = db.collection('usage');
    this.dailyUsage = db.collection('daily_usage');
    this.subscriptions = db.collection('subscriptions');
    this.billingEvents = db.collection('billing_events');
    this.inboundWebhooks = db.collection('inbound_webhooks');
    this.inboundDeliveries = db.collection('inbound_deliveries');
    this.outboundWebhooks = db.collection('outbound_webhooks');
    this.outboundDeliveries = db.collection('outbound_deliveries');
    this.outboundPayloads = db.collection('outbound_payloads');
    this.jobs = db.collection('jobs');
    this.probes = db.collection('probes');
    this.rateLimits = db.collection('rate_limits');
    this.encryption = db.collection('encryption');
  }
}
