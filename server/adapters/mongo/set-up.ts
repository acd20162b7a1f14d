import { type AnyBulkWriteOperation, type Collection, type Db, type Filter, MongoServerError } from 'mongodb';
import { chunkIdentity, documentIdOf } from '../../domain/documents/chunk.js';
import { facetRange } from '../../domain/filter/facet.js';
import { valuesOf } from '../../domain/filter/metadata-values.js';
import type { Metadata } from '../../domain/memory/memory.js';
import { StoreOpenError } from '../../ports/store-errors.js';
import type { MemoryDocument } from './engine/collections.js';
import {
  COLLECTIONS,
  type CollectionSchema,
  indexesFor,
  type KeywordIndex,
  OBSOLETE_INDEXES,
  OWN_WORDS_INDEX,
  validatorOf,
  vectorIndexName,
  vectorIndexNames,
} from './engine/schema.js';
import { SLOTS } from './engine/vectors.js';
import { makeWordsIndex, outdatedWords, WORDS_INDEX } from './keywords/words-index.js';
import { countEarlierFacets } from './memories/count-earlier-facets.js';
import { areBytesCounted, countStoredBytes } from './memories/count-stored-bytes.js';
import { untilBuilt } from './search-index/search-indexes.js';
import { definedVectors, makeVectorIndex } from './vector-index/vector-index.js';

const NAMESPACE_EXISTS = 48;
const WRITE_BATCH_SIZE = 1_000;
const ADVICE = 'run "memory-setup-mongodb" with the same environment, then start again';

export interface SetUpOptions {
  /** Size of the configured embedder's vectors. */
  dimensions: number;
  /** The index that keyword searches use. By default the database's own. */
  keywords?: KeywordIndex;
  /** Drops the database's own index of words when the search index of words is built. */
  dropsOwnWords?: boolean;
  /** How long to wait for each search index. */
  timeoutMs?: number;
  onProgress?: (step: string) => void;
}

/**
 * Creates whatever the store lacks: collections, their validators and indexes, the search indexes. Changes nothing that
 * is up to date, so it is safe to repeat, even while servers run.
 *
 * @throws {StoreOpenError} when a search index is not ready in time, or the deployment has no Vector Search
 */
export async function setUp(
  db: Db,
  { dimensions, keywords = 'index', dropsOwnWords = false, timeoutMs = 600_000, onProgress = () => {} }: SetUpOptions,
): Promise<void> {
  if (dropsOwnWords && keywords === 'index') {
    throw new StoreOpenError(
      'Keyword searches use the index of words of the database: set SERVICE_MONGODB_KEYWORDS to search before you drop it',
    );
  }
  for (const schema of COLLECTIONS) await makeCollection(db, schema);
  // Before the index of values, without which no server starts.
  await addValues(db);
  for (const schema of COLLECTIONS) {
    const indexes = indexesFor(schema, keywords);
    if (indexes.length > 0) await db.collection(schema.name).createIndexes([...indexes]);
    onProgress(`collection ${schema.name}: ${indexes.length} indexes`);
  }
  await dateBillingEvents(db);
  await countStoredBytes(db);
  const counted = await countEarlierFacets(db);
  if (counted > 0) onProgress(`facets: counted in ${counted} organizations`);
  await addChunkFields(db);
  await dropObsoleteIndexes(db);
  const memories = db.collection('memories');
  for (const slot of SLOTS) {
    const done = await makeVectorIndex(memories, dimensions, slot);
    onProgress(`vector index ${vectorIndexName(dimensions, slot)}: ${done}`);
  }
  if (keywords === 'search') onProgress(`search index ${WORDS_INDEX}: ${await makeWordsIndex(memories)}`);
  const names = vectorIndexNames(dimensions).map((name) => ['vector index', name] as const);
  for (const [kind, name] of keywords === 'search' ? [...names, ['search index', WORDS_INDEX] as const] : names) {
    onProgress(`${kind} ${name}: waiting until it is built`);
    await untilBuilt(memories, name, timeoutMs);
    onProgress(`${kind} ${name}: ready`);
  }
  if (dropsOwnWords && (await indexNames(memories)).includes(OWN_WORDS_INDEX)) {
    await memories.dropIndex(OWN_WORDS_INDEX);
    onProgress(`index ${OWN_WORDS_INDEX} of memories: dropped`);
  }
}

/**
 * Returns the names of the search indexes, after checking that the setup is complete. They may still be building, as
 * after a restore: only searches wait for them.
 *
 * @throws {StoreOpenError} that names what is missing and the command that creates it
 */
export async function checkSetUp(
  db: Db,
  { dimensions, keywords = 'index' }: Pick<SetUpOptions, 'dimensions' | 'keywords'>,
): Promise<Set<string>> {
  const [{ names, outdated }] = await Promise.all([
    definedVectors(db.collection('memories'), dimensions),
    ...COLLECTIONS.map((schema) => checkIndexes(db, schema.name, indexesFor(schema, keywords))),
  ]);
  const missing = vectorIndexNames(dimensions).find((name) => !names.has(name));
  if (missing !== undefined) {
    throw new StoreOpenError(`There is no vector index ${missing}: ${ADVICE}`);
  }
  for (const { name, fields } of outdated) {
    throw new StoreOpenError(`The vector index ${name} has an earlier definition of ${fields.join(', ')}: ${ADVICE}`);
  }
  if (keywords === 'search') await checkWordsIndex(db);
  if (!(await areBytesCounted(db))) {
    throw new StoreOpenError(`The memories of an earlier release are not counted: ${ADVICE}`);
  }
  return names;
}

/** @throws {StoreOpenError} if the search index of words is missing or outdated */
async function checkWordsIndex(db: Db): Promise<void> {
  const fields = await outdatedWords(db.collection('memories'));
  if (!fields) throw new StoreOpenError(`There is no search index ${WORDS_INDEX}: ${ADVICE}`);
  if (fields.length > 0) {
    throw new StoreOpenError(
      `The search index ${WORDS_INDEX} has an earlier definition of ${fields.join(', ')}: ${ADVICE}`,
    );
  }
}

async function checkIndexes(db: Db, name: string, indexes: CollectionSchema['indexes']): Promise<void> {
  const found = await indexNames(db.collection(name));
  const missing = indexes.map((index) => index.name).filter((index) => !found.includes(index));
  if (missing.length > 0) {
    throw new StoreOpenError(`The collection ${name} lacks the indexes ${missing.join(', ')}: ${ADVICE}`);
  }
}

async function makeCollection(db: Db, schema: CollectionSchema): Promise<void> {
  const validator = validatorOf(schema);
  try {
    await db.createCollection(schema.name, { validator });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
    await db.command({ collMod: schema.name, validator });
  }
}

/** Dates events that were accepted without a time. They count from now on. */
async function dateBillingEvents(db: Db): Promise<void> {
  const undated = { takenInAt: { $exists: false } };
  await db.collection('billing_events').updateMany(undated, { $set: { takenInAt: Date.now() * 1_000 } });
}

/** Adds the fields that chunks of an earlier release lack. */
async function addChunkFields(db: Db): Promise<void> {
  const [from, before] = facetRange('chunkIndex');
  const unnamed = { facets: { $elemMatch: { $gte: from, $lt: before } }, document: { $exists: false } };
  await addFields(db, unnamed, { document: { $exists: false } }, (metadata) => {
    const [chunk, document] = [chunkIdentity(metadata), documentIdOf(metadata)];
    return chunk !== undefined && document !== undefined ? { chunk, document } : undefined;
  });
}

/** Adds the values that memories of an earlier release lack. */
async function addValues(db: Db): Promise<void> {
  const lacking = { values: { $exists: false } };
  await addFields(db, lacking, lacking, (metadata) => ({ values: valuesOf(metadata) }));
}

/** Sets fields that are computed from the metadata. @param lacking what a memory without the fields matches */
async function addFields(
  db: Db,
  found: Filter<MemoryDocument>,
  lacking: Filter<MemoryDocument>,
  fieldsOf: (metadata: Metadata) => Partial<MemoryDocument> | undefined,
): Promise<void> {
  const memories = db.collection<MemoryDocument>('memories');
  let writes: AnyBulkWriteOperation<MemoryDocument>[] = [];
  for await (const { _id, metadata } of memories.find(found, { projection: { metadata: 1 } })) {
    const fields = fieldsOf(JSON.parse(metadata) as Metadata);
    // If a server changes the memory meanwhile, that write adds the fields.
    if (fields) writes.push({ updateOne: { filter: { _id, metadata, ...lacking }, update: { $set: fields } } });
    if (writes.length < WRITE_BATCH_SIZE) continue;
    await memories.bulkWrite(writes, { ordered: false });
    writes = [];
  }
  if (writes.length > 0) await memories.bulkWrite(writes, { ordered: false });
}

async function dropObsoleteIndexes(db: Db): Promise<void> {
  for (const [name, obsolete] of Object.entries(OBSOLETE_INDEXES)) {
    const found = await indexNames(db.collection(name));
    for (const index of obsolete.filter((each) => found.includes(each))) await db.collection(name).dropIndex(index);
  }
}

async function indexNames(collection: Collection): Promise<string[]> {
  try {
    const indexes = await collection.indexes();
    return indexes.flatMap(({ name }) => name ?? []);
  } catch (error) {
    // A collection that does not exist has no indexes.
    if (error instanceof MongoServerError) return [];
    throw error;
  }
}
