import type { Document } from 'mongodb';
import type { Expected } from '../../ports/store.js';
import { usageId } from './billing/usage-counts.js';
import type {
  Collections,
  OrganizationDocument,
  OutboundWebhookDocument,
  UsageDocument,
} from './engine/collections.js';
import { STORED_FIELDS, type StoredFields } from './engine/memory-documents.js';
import { expectedMemories } from './memories/expected-memories.js';

/** A batch finds one memory for an item, or few. */
const MOST_EXPECTED = 1_000;
const READ_AT_ONCE = 5_000;

/** One of the documents that are read together: each says by its one field what it is. */
interface Part {
  organization?: OrganizationDocument;
  memory?: StoredFields;
  webhook?: OutboundWebhookDocument;
  usage?: UsageDocument;
}

/** What a unit of work will ask for, as it was at one moment. */
interface Foresight {
  organization: OrganizationDocument | undefined;
  /** Undefined where they are too many: then each is looked for when it is asked for. */
  memories: StoredFields[] | undefined;
  webhooks: OutboundWebhookDocument[];
  /** The ingest count of the period that was named. */
  ingested: number;
}

/**
 * Reads with one command what a unit of work said that it will ask for. It
 * is no part of a transaction: a union of collections cannot be.
 */
export async function foresee(
  collections: Collections,
  organizationId: string,
  expected: Expected,
): Promise<Foresight> {
  const { organizations, memories, outboundWebhooks, usage } = collections;
  const org = organizationId;
  const filters = expectedMemories(org, expected);
  const ofMemories = filters.map((filter) =>
    union(memories, [{ $match: { org, ...filter } }, { $limit: MOST_EXPECTED }, { $project: STORED_FIELDS }], 'memory'),
  );
  const { period } = expected;
  const counted = period === undefined ? [] : [{ $match: { _id: usageId(org, period, 'ingest') } }];
  const pipeline = [
    { $match: { _id: org } },
    as('organization'),
    ...ofMemories,
    union(outboundWebhooks, [{ $match: { org } }], 'webhook'),
    ...(period === undefined ? [] : [union(usage, counted, 'usage')]),
  ];
  const options = { readConcern: { level: 'snapshot' }, batchSize: READ_AT_ONCE } as const;
  const found = await organizations.aggregate<Part>(pipeline, options).toArray();
  const all = found.flatMap(({ memory }) => memory ?? []);
  return {
    organization: found.find(({ organization }) => organization)?.organization,
    memories: all.length < MOST_EXPECTED ? all : undefined,
    webhooks: found.flatMap(({ webhook }) => webhook ?? []),
    ingested: found.find((part) => part.usage)?.usage?.count ?? 0,
  };
}

function union(
  { collectionName }: { collectionName: string },
  pipeline: readonly Document[],
  name: keyof Part,
): Document {
  return { $unionWith: { coll: collectionName, pipeline: [...pipeline, as(name)] } };
}

function as(name: keyof Part): Document {
  return { $project: { _id: 0, [name]: '$$ROOT' } };
}
