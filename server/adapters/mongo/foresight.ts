import type { ClientSession, Document } from 'mongodb';
import type { Expected } from '../../ports/unit-of-work.js';
import { usageId } from './billing/usage-counts.js';
import type {
  Collections,
  OrganizationDocument,
  OutboundWebhookDocument,
  UsageDocument,
} from './engine/collections.js';
import { STORED_FIELDS, type StoredFields } from './engine/memory-documents.js';
import { WRITE_TIMEOUT_MS } from './engine/read-options.js';
import { expectedMemories, importedIds } from './memories/expected-memories.js';

/** Limit of expected memories. A batch matches one memory per item, or a few. */
const MAX_EXPECTED = 1_000;
const READ_BATCH_SIZE = 5_000;
/** One of the documents that are read together. Its only field names its kind. */
interface Part {
  organization?: OrganizationDocument;
  memory?: StoredFields;
  foreign?: { _id: string };
  webhook?: OutboundWebhookDocument;
  usage?: UsageDocument;
}

/** The data that a unit of work expects to need, as of one moment. */
interface Foresight {
  organization: OrganizationDocument | undefined;
  /** Undefined if there are too many. Each is then read when it is needed. */
  memories: StoredFields[] | undefined;
  /** The ids of the declared writes that a memory of another organization has. */
  foreignIds: string[];
  webhooks: OutboundWebhookDocument[];
  /** The ingest count of the expected period. */
  ingested: number;
}

/**
 * Reads with one command the data that a unit of work declared. The read is outside of the transaction, which does not
 * allow unions of collections.
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
    union(memories, [{ $match: { org, ...filter } }, { $limit: MAX_EXPECTED }, { $project: STORED_FIELDS }], 'memory'),
  );
  const imported = importedIds(expected);
  const ofOthers = [{ $match: { _id: { $in: imported }, org: { $ne: org } } }, { $project: { _id: 1 } }];
  const { period } = expected;
  const counted = period === undefined ? [] : [{ $match: { _id: usageId(org, period, 'ingest') } }];
  const pipeline = [
    { $match: { _id: org } },
    as('organization'),
    ...ofMemories,
    ...(imported.length === 0 ? [] : [union(memories, ofOthers, 'foreign')]),
    union(outboundWebhooks, [{ $match: { org } }], 'webhook'),
    ...(period === undefined ? [] : [union(usage, counted, 'usage')]),
  ];
  const options = {
    readConcern: { level: 'snapshot' },
    batchSize: READ_BATCH_SIZE,
    maxTimeMS: WRITE_TIMEOUT_MS,
  } as const;
  const found = await organizations.aggregate<Part>(pipeline, options).toArray();
  const all = found.flatMap(({ memory }) => memory ?? []);
  return {
    organization: found.find(({ organization }) => organization)?.organization,
    memories: all.length < MAX_EXPECTED ? all : undefined,
    foreignIds: found.flatMap(({ foreign }) => foreign?._id ?? []),
    webhooks: found.flatMap(({ webhook }) => webhook ?? []),
    ingested: found.find((part) => part.usage)?.usage?.count ?? 0,
  };
}

/**
 * Reads the declared memories in the transaction, with the organization locked, so that no other transaction can write
 * in between. The rest is read when it is needed.
 *
 * @returns undefined if there are too many
 */
export async function foreseeLocked(
  { memories }: Pick<Collections, 'memories'>,
  org: string,
  expected: Expected,
  session: ClientSession,
): Promise<StoredFields[] | undefined> {
  const filters = expectedMemories(org, expected).map((filter) => ({ org, ...filter }));
  if (filters.length === 0) return [];
  const options = {
    session,
    projection: STORED_FIELDS,
    limit: MAX_EXPECTED,
    batchSize: READ_BATCH_SIZE,
    maxTimeMS: WRITE_TIMEOUT_MS,
  };
  const found = await memories.find<StoredFields>({ $or: filters }, options).toArray();
  return found.length < MAX_EXPECTED ? found : undefined;
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
