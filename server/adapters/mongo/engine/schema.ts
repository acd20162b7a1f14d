import type { Document, IndexDescription } from 'mongodb';
import { FIRST_SLOT, fieldOf, SLOTS, type VectorSlot } from './vectors.js';

/** The required fields and the indexes of a collection. */
export interface CollectionSchema {
  name: string;
  required: Readonly<Record<string, 'string' | 'bool' | 'number' | 'date' | 'array' | 'object'>>;
  indexes: readonly (IndexDescription & { name: string })[];
}

const LIVE = { live: true };
const KEYED = { externalKey: { $exists: true } };

/** Name of the index of memories by their words. */
export const OWN_WORDS_INDEX = 'terms';

/** The index that keyword searches use: the database's own, or a search index. */
export type KeywordIndex = 'index' | 'search';

/** All collections. Every index of memories begins with the organization, which is the shard key. */
export const COLLECTIONS: readonly CollectionSchema[] = [
  {
    name: 'organizations',
    required: { name: 'string', settings: 'object', clock: 'number', newest: 'number' },
    indexes: [
      { name: 'created', key: { createdAt: 1, _id: 1 } },
      { name: 'retention', key: { 'settings.deletedRetentionDays': 1 }, sparse: true },
      { name: 'expiry', key: { 'settings.nextExpiry': 1 }, sparse: true },
    ],
  },
  { name: 'deleted_organizations', required: { deletedAt: 'number' }, indexes: [] },
  {
    name: 'memories',
    required: {
      org: 'string',
      live: 'bool',
      createdAt: 'number',
      updatedAt: 'number',
      subject: 'string',
      source: 'string',
      project: 'string',
      contentHash: 'string',
      wordsHash: 'string',
      content: 'string',
      metadata: 'string',
      facets: 'array',
      terms: 'array',
      times: 'array',
      words: 'number',
      fingerprint: 'string',
      embedding: 'object',
      indexedAt: 'date',
    },
    indexes: [
      {
        name: 'unique_chunk_content',
        key: { org: 1, subject: 1, contentHash: 1, chunk: 1 },
        unique: true,
        partialFilterExpression: LIVE,
      },
      {
        name: 'unique_key',
        key: { org: 1, externalKey: 1, source: 1, project: 1 },
        unique: true,
        partialFilterExpression: { ...LIVE, ...KEYED },
      },
      {
        name: 'keys',
        key: { org: 1, externalKey: 1, source: 1, project: 1, deletedAt: -1 },
        partialFilterExpression: KEYED,
      },
      { name: 'words', key: { org: 1, subject: 1, wordsHash: 1, chunk: 1, createdAt: 1 } },
      { name: 'chunk_folds', key: { org: 1, subject: 1, wordsHash: 1, chunk: 1, foldHash: 1, createdAt: 1 } },
      { name: 'created', key: { org: 1, live: 1, createdAt: 1, _id: 1 } },
      { name: 'changed', key: { org: 1, live: 1, updatedAt: 1, _id: 1 } },
      { name: 'facets', key: { org: 1, live: 1, facets: 1, createdAt: 1, _id: 1 } },
      { name: 'values', key: { org: 1, live: 1, 'values.key': 1, 'values.value': 1 } },
      {
        name: 'documents',
        key: { org: 1, subject: 1, document: 1, _id: 1 },
        partialFilterExpression: { ...LIVE, document: { $exists: true } },
      },
      {
        name: 'chunks',
        key: { org: 1, subject: 1, chunk: 1 },
        partialFilterExpression: { ...LIVE, document: { $exists: true } },
      },
      {
        name: 'expiry',
        key: { org: 1, expiresAt: 1, createdAt: 1 },
        partialFilterExpression: { ...LIVE, expiresAt: { $exists: true } },
      },
      { name: OWN_WORDS_INDEX, key: { org: 1, terms: 1 } },
      { name: 'unsettled', key: { org: 1, indexedAt: 1 } },
      { name: 'unsettled_b', key: { org: 1, indexedAtB: 1 } },
      { name: 'embedders', key: { org: 1, fingerprint: 1, createdAt: 1 } },
      { name: 'embedders_b', key: { org: 1, fingerprintB: 1, createdAt: 1 } },
    ],
  },
  {
    name: 'facet_counts',
    required: { org: 'string', key: 'string', active: 'number', all: 'number' },
    indexes: [
      { name: 'active', key: { org: 1, key: 1, active: -1, _id: 1 } },
      { name: 'all', key: { org: 1, key: 1, all: -1, _id: 1 } },
    ],
  },
  {
    name: 'memory_versions',
    required: {
      org: 'string',
      memoryId: 'string',
      number: 'number',
      updatedAt: 'number',
      replacedAt: 'number',
      subject: 'string',
      content: 'string',
      metadata: 'string',
    },
    indexes: [
      { name: 'memory', key: { org: 1, memoryId: 1, replacedAt: -1 } },
      { name: 'subject', key: { org: 1, subject: 1 } },
    ],
  },
  {
    name: 'erasures',
    required: { org: 'string', status: 'string', requestedAt: 'number', counts: 'object', digest: 'string' },
    indexes: [{ name: 'subject', key: { org: 1, subject: 1 } }],
  },
  {
    name: 'tombstones',
    required: { org: 'string', createdAt: 'number', deletedAt: 'number', purgedAt: 'number' },
    indexes: [{ name: 'purged', key: { org: 1, purgedAt: 1, _id: 1 } }],
  },
  {
    name: 'users',
    required: { email: 'string', foldedEmail: 'string' },
    indexes: [{ name: 'unique_email', key: { foldedEmail: 1 }, unique: true }],
  },
  {
    name: 'memberships',
    required: { org: 'string', userId: 'string', role: 'string', joinedAt: 'number' },
    indexes: [
      { name: 'user', key: { userId: 1 } },
      { name: 'joined', key: { org: 1, joinedAt: 1, _id: 1 } },
      { name: 'role', key: { org: 1, role: 1 } },
    ],
  },
  {
    name: 'api_tokens',
    required: { org: 'string', userId: 'string', digest: 'string', abilities: 'array', createdAt: 'number' },
    indexes: [
      { name: 'unique_digest', key: { digest: 1 }, unique: true },
      { name: 'created', key: { org: 1, createdAt: 1, _id: 1 } },
      { name: 'user', key: { org: 1, userId: 1, createdAt: 1, _id: 1 } },
    ],
  },
  {
    name: 'invitations',
    required: { org: 'string', digest: 'string', foldedEmail: 'string', role: 'string', createdAt: 'number' },
    indexes: [
      { name: 'unique_digest', key: { digest: 1 }, unique: true },
      { name: 'created', key: { org: 1, createdAt: 1, _id: 1 } },
      { name: 'address', key: { org: 1, foldedEmail: 1 } },
      { name: 'accepted', key: { acceptedAt: 1 }, partialFilterExpression: { acceptedAt: { $exists: true } } },
      { name: 'revoked', key: { revokedAt: 1 }, partialFilterExpression: { revokedAt: { $exists: true } } },
    ],
  },
  {
    name: 'sessions',
    required: { userId: 'string', createdAt: 'number', expiresAt: 'number' },
    indexes: [
      { name: 'created', key: { userId: 1, createdAt: 1, id: 1 } },
      { name: 'ended', key: { expiresAt: 1 } },
    ],
  },
  {
    name: 'sign_in_links',
    required: { userId: 'string', createdAt: 'number', expiresAt: 'number', setsPassword: 'bool' },
    indexes: [
      { name: 'user', key: { userId: 1, expiresAt: 1 } },
      { name: 'ended', key: { expiresAt: 1 } },
    ],
  },
  {
    name: 'audit_events',
    required: { org: 'string', occurredAt: 'number', action: 'string', actor: 'object', source: 'string' },
    indexes: [
      { name: 'occurred', key: { org: 1, occurredAt: -1, _id: -1 } },
      { name: 'action', key: { org: 1, action: 1, occurredAt: -1, _id: -1 } },
      { name: 'source', key: { org: 1, source: 1, occurredAt: -1, _id: -1 } },
      { name: 'actor', key: { org: 1, 'actor.id': 1, occurredAt: -1, _id: -1 } },
      { name: 'memory', key: { org: 1, memoryId: 1, occurredAt: -1, _id: -1 } },
    ],
  },
  { name: 'usage', required: { count: 'number' }, indexes: [] },
  {
    name: 'daily_usage',
    required: { org: 'string', day: 'string' },
    indexes: [
      { name: 'organization', key: { org: 1, day: 1 } },
      { name: 'day', key: { day: 1 } },
    ],
  },
  {
    name: 'subscriptions',
    required: { org: 'string', subscription: 'object' },
    indexes: [{ name: 'organization', key: { org: 1 } }],
  },
  {
    name: 'billing_events',
    // No time is required, since servers of a release that stores none may run during this setup.
    required: { org: 'string' },
    indexes: [{ name: 'taken_in', key: { org: 1, takenInAt: 1 } }],
  },
  {
    name: 'inbound_webhooks',
    required: { org: 'string', kind: 'string', sealedSecret: 'string', createdAt: 'number' },
    indexes: [{ name: 'created', key: { org: 1, createdAt: 1, _id: 1 } }],
  },
  {
    name: 'inbound_deliveries',
    required: { org: 'string', webhookId: 'string', deliveryId: 'string', bodyHash: 'string', receivedAt: 'number' },
    indexes: [
      { name: 'unique_id', key: { webhookId: 1, deliveryId: 1 }, unique: true },
      { name: 'unique_body', key: { webhookId: 1, bodyHash: 1 }, unique: true },
      { name: 'received', key: { org: 1, webhookId: 1, receivedAt: -1, _id: -1 } },
      { name: 'state_received', key: { org: 1, webhookId: 1, state: 1, receivedAt: -1, _id: -1 } },
    ],
  },
  {
    name: 'outbound_webhooks',
    required: { org: 'string', url: 'string', secret: 'string', createdAt: 'number' },
    indexes: [{ name: 'created', key: { org: 1, createdAt: 1, _id: 1 } }],
  },
  {
    name: 'outbound_deliveries',
    // No payload is required, since servers of a release that stores bodies may run during this setup.
    required: { org: 'string', webhookId: 'string', status: 'string', createdAt: 'number' },
    indexes: [
      { name: 'webhook', key: { org: 1, webhookId: 1, createdAt: -1, _id: -1 } },
      { name: 'status', key: { org: 1, webhookId: 1, status: 1, createdAt: -1, _id: -1 } },
      { name: 'created', key: { org: 1, createdAt: 1 } },
      { name: 'payload', key: { org: 1, payload: 1 } },
      { name: 'memory', key: { org: 1, memoryId: 1 } },
    ],
  },
  {
    name: 'outbound_payloads',
    required: { org: 'string', body: 'string' },
    indexes: [{ name: 'organization', key: { org: 1 } }],
  },
  {
    name: 'jobs',
    required: { name: 'string', data: 'object', failCount: 'number', crashes: 'number' },
    indexes: [
      // The last two let a query pass over a job without reading it.
      {
        name: 'due_lanes',
        key: { name: 1, lockedAt: 1, nextRunAt: 1, _id: 1, 'data.organizationId': 1, 'data.webhookId': 1 },
      },
      { name: 'given_up', key: { failedAt: 1 } },
      { name: 'organization', key: { 'data.organizationId': 1 } },
    ],
  },
  { name: 'probes', required: { writtenAt: 'date' }, indexes: [] },
  { name: 'encryption', required: { canary: 'string' }, indexes: [] },
  {
    name: 'rate_limits',
    required: { count: 'number', endsAt: 'date' },
    indexes: [{ name: 'ended', key: { endsAt: 1 }, expireAfterSeconds: 60 }],
  },
];

/** Returns the indexes of a collection that keyword searches by an index need, beside those of all other reads. */
export function indexesFor({ name, indexes }: CollectionSchema, keywords: KeywordIndex): CollectionSchema['indexes'] {
  if (name !== 'memories' || keywords === 'index') return indexes;
  return indexes.filter((index) => index.name !== OWN_WORDS_INDEX);
}

/** Indexes of earlier releases that this release must drop or does not need: collection → names. */
export const OBSOLETE_INDEXES: Readonly<Record<string, readonly string[]>> = {
  memories: ['unique_content', 'subjects', 'folds'],
  inbound_deliveries: ['state'],
};

/** The number types. Which one the driver writes depends on the value. */
const NUMBERS = ['int', 'long', 'double'];

/** Returns a validator that rejects documents of another shape. */
export function validatorOf({ required }: CollectionSchema): Document {
  const properties = Object.fromEntries(
    Object.entries(required).map(([key, type]) => [key, { bsonType: type === 'number' ? NUMBERS : type }]),
  );
  return { $jsonSchema: { bsonType: 'object', required: Object.keys(required), properties } };
}

/** Fields that a vector search may filter by. */
function filterFields({ fingerprint, indexedAt }: VectorSlot): string[] {
  return ['org', 'live', 'subject', 'facets', fingerprint, 'createdAt', indexedAt];
}

/** Returns the name of the Vector Search index for vectors of a size in a slot. */
export function vectorIndexName(dimensions: number, slot: VectorSlot): string {
  return `memories_${fieldOf(dimensions, slot)}`;
}

/** Returns the names of the Vector Search indexes for an embedder: one for each slot. */
export function vectorIndexNames(dimensions: number): string[] {
  return SLOTS.map((slot) => vectorIndexName(dimensions, slot));
}

/** Options of a dense graph. With Atlas's defaults (16 and 100) searches miss too many of the best matches. */
const GRAPH = { maxEdges: 32, numEdgeCandidates: 200 };

export function vectorIndexDefinition(dimensions: number, slot: VectorSlot = FIRST_SLOT): Document {
  const path = `embedding.${fieldOf(dimensions, slot)}`;
  return {
    fields: [
      { type: 'vector', path, numDimensions: dimensions, similarity: 'cosine', hnswOptions: GRAPH },
      ...filterFields(slot).map((path) => ({ type: 'filter', path })),
    ],
  };
}
