import { setTimeout as wait } from 'node:timers/promises';
import { type Collection, type Db, MongoServerError } from 'mongodb';
import { StoreOpenError } from '../../ports/store.js';
import {
  COLLECTIONS,
  type CollectionSchema,
  dimensionsOf,
  validatorOf,
  vectorIndexDefinition,
  vectorIndexName,
} from './schema.js';

const NAMESPACE_EXISTS = 48;
const INDEX_EXISTS = 68;
const POLL_MS = 500;
const HOW = 'run "npm run setup:mongodb" with the same environment, and start again';

export interface SetUpOptions {
  /** Size of the vectors that the configured embedder makes. */
  dimensions: number;
  /** How long to wait for the vector index. */
  timeoutMs?: number;
  onProgress?: (step: string) => void;
}

/**
 * Makes whatever the store needs and does not have: collections, their
 * validators and indexes, the vector index. Changes nothing that is there
 * already, so it is safe to run again, and beside running servers.
 *
 * @throws {StoreOpenError} when the vector index is not ready in time, or the deployment has no Vector Search
 */
export async function setUp(
  db: Db,
  { dimensions, timeoutMs = 600_000, onProgress = () => {} }: SetUpOptions,
): Promise<void> {
  for (const schema of COLLECTIONS) {
    await makeCollection(db, schema);
    if (schema.indexes.length > 0) await db.collection(schema.name).createIndexes([...schema.indexes]);
    onProgress(`collection ${schema.name}: ${schema.indexes.length} indexes`);
  }
  const memories = db.collection('memories');
  await makeVectorIndex(memories, dimensions);
  onProgress(`vector index ${vectorIndexName(dimensions)}: waiting until it can be searched`);
  await untilQueryable(memories, dimensions, timeoutMs);
  onProgress(`vector index ${vectorIndexName(dimensions)}: ready`);
}

/**
 * The sizes of vectors that can be searched, once everything is there.
 *
 * @throws {StoreOpenError} naming what is missing, and the command that makes it
 */
export async function checkSetUp(db: Db, dimensions: number): Promise<Set<number>> {
  for (const { name, indexes } of COLLECTIONS) {
    const collection = db.collection(name);
    const found = await indexNames(collection);
    const missing = indexes.map((index) => index.name).filter((index) => !found.includes(index));
    if (missing.length > 0) {
      throw new StoreOpenError(`The collection ${name} lacks the indexes ${missing.join(', ')}: ${HOW}`);
    }
  }
  const queryable = await queryableDimensions(db.collection('memories'));
  if (queryable.has(dimensions)) return queryable;
  throw new StoreOpenError(`There is no vector index ${vectorIndexName(dimensions)} that can be searched: ${HOW}`);
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

async function makeVectorIndex(memories: Collection, dimensions: number): Promise<void> {
  const name = vectorIndexName(dimensions);
  try {
    const known = await memories.listSearchIndexes(name).toArray();
    if (known.length > 0) return;
    await memories.createSearchIndex({ name, type: 'vectorSearch', definition: vectorIndexDefinition(dimensions) });
  } catch (error) {
    // Another process may be setting up as well.
    if (error instanceof MongoServerError && error.code === INDEX_EXISTS) return;
    throw new StoreOpenError(
      'The deployment of MONGODB_URI makes no vector index: it must be MongoDB Atlas, or another one with Vector Search',
      { cause: error },
    );
  }
}

async function untilQueryable(memories: Collection, dimensions: number, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!(await queryableDimensions(memories)).has(dimensions)) {
    if (performance.now() >= until) {
      throw new StoreOpenError(
        `The vector index ${vectorIndexName(dimensions)} is still being built: wait, and run the command again`,
      );
    }
    await wait(POLL_MS);
  }
}

async function queryableDimensions(memories: Collection): Promise<Set<number>> {
  const indexes = await memories.listSearchIndexes().toArray();
  const queryable = indexes.filter((index) => 'queryable' in index && index.queryable === true);
  return dimensionsOf(queryable.map(({ name }) => name));
}

async function indexNames(collection: Collection): Promise<string[]> {
  try {
    const indexes = await collection.indexes();
    return indexes.flatMap(({ name }) => name ?? []);
  } catch (error) {
    // A collection that does not exist has none.
    if (error instanceof MongoServerError) return [];
    throw error;
  }
}
