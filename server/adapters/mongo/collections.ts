import type { Binary, Collection, Db, Long } from 'mongodb';
import type { AuditEvent } from '../../domain/audit-event.js';
import type { OrganizationSettings, Role } from '../../domain/organization.js';

/** Microseconds, which the driver gives back as a number. */
export type Int64 = number | Long;

/** What the service keeps of an organization: every unit of work begins by writing to it, which is its lock. */
export interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Int64;
  settings: OrganizationSettings;
  /** The last time given out. */
  clock: Int64;
  /** createdAt of the memory stored last. */
  newest: Int64;
  /** Units of work so far. */
  revision: number;
  active: number;
  deleted: number;
  /** Words of all contents, deleted ones included. */
  words: number;
}

/** A vector by its dimensions, `d1024`: every vector index is of one field and one size. */
export type Embedding = Record<string, Binary | number[]>;

export interface MemoryDocument {
  _id: string;
  org: string;
  /** Not soft-deleted. */
  live: boolean;
  createdAt: Int64;
  updatedAt: Int64;
  deletedAt?: Int64;
  /** `subjectText` of the subject key. */
  subject: string;
  externalKey?: string;
  source: string;
  project: string;
  contentHash: string;
  foldedHash: string;
  content: string;
  /** JSON, so that keys are data and never field names. */
  metadata: string;
  /** Everything a filter can ask, `facetsOfMemory`. */
  facets: string[];
  /** The distinct words of the content, and how often each is there. */
  terms: string[];
  times: number[];
  /** Words of the content, repeats included. */
  words: number;
  fingerprint: string;
  embedding: Embedding;
  /** When, by the wall clock, a search index had to learn something new about this memory. */
  indexedAt: Date;
}

export interface UserDocument {
  _id: string;
  email: string;
}

export interface MembershipDocument {
  /** Organization and user. */
  _id: string;
  org: string;
  userId: string;
  role: Role;
}

export interface TokenDocument {
  _id: string;
  userId: string;
  name: string;
  digest: string;
  prefix: string;
  lastFour: string;
  abilities: readonly string[];
  createdAt: Int64;
  expiresAt?: Int64;
  revokedAt?: Int64;
}

export interface AuditDocument extends Omit<AuditEvent, 'id' | 'occurredAt'> {
  _id: string;
  org: string;
  occurredAt: Int64;
}

export interface UsageDocument {
  /** Organization and period. */
  _id: string;
  org: string;
  period: string;
  ingest: number;
  search: number;
}

export interface ProbeDocument {
  _id: string;
  writtenAt: Date;
}

/** Requests of one window: who, how many, and until when. */
export interface RateLimitDocument {
  _id: string;
  count: number;
  endsAt: Date;
}

/** The collections of the service. */
export class Collections {
  readonly organizations: Collection<OrganizationDocument>;
  readonly memories: Collection<MemoryDocument>;
  readonly users: Collection<UserDocument>;
  readonly memberships: Collection<MembershipDocument>;
  readonly tokens: Collection<TokenDocument>;
  readonly auditEvents: Collection<AuditDocument>;
  readonly usage: Collection<UsageDocument>;
  readonly probes: Collection<ProbeDocument>;
  readonly rateLimits: Collection<RateLimitDocument>;

  constructor(db: Db) {
    this.organizations = db.collection('organizations');
    this.memories = db.collection('memories');
    this.users = db.collection('users');
    this.memberships = db.collection('memberships');
    this.tokens = db.collection('api_tokens');
    this.auditEvents = db.collection('audit_events');
    this.usage = db.collection('usage');
    this.probes = db.collection('probes');
    this.rateLimits = db.collection('rate_limits');
  }
}
