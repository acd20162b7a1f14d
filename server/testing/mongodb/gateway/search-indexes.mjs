// Implements the search indexes of Atlas: those of vectors with those of DocumentDB, and those of text without any.
import { deserialize, Long, serialize } from 'bson';
import { CommandError } from './errors.mjs';
import { checkSearchDefinition } from './text-search.mjs';
import { KEEP_TYPES } from './vectors.mjs';

const MOST_CANDIDATES = 1_000;
const MOST_EDGE_CANDIDATES = 1_000;
const SIMILARITY = { cosine: 'COS', dotProduct: 'IP', euclidean: 'L2' };

/** How long the answer to a command waits for the index. In a small collection it is ready at once. */
const PATIENCE_MS = 2_000;

/** Index definitions by collection. The engine stores the index, but not the attributes that Atlas reports. */
const known = new Map();

/** @param withEngine runs work on its own connection, which outlives the command */
export async function createSearchIndexes(withEngine, command) {
  const collection = command.createSearchIndexes;
  const place = `${command.$db}.${collection}`;
  const indexes = known.get(place) ?? [];
  for (const { name = 'default', type = 'search', definition } of command.indexes) {
    if (indexes.some((index) => index.name === name)) {
      throw new CommandError(68, 'IndexAlreadyExists', `Duplicate Index: ${name}`);
    }
    const index = { name, type, definition, version: 0, createdAt: new Date() };
    known.set(place, [...(known.get(place) ?? []), index]);
    try {
      await build(withEngine, { db: command.$db, collection, index });
    } catch (error) {
      forget(place, index);
      throw error;
    }
  }
  return { ok: 1, indexesCreated: command.indexes.map(({ name = 'default' }) => ({ id: name, name })) };
}

/** The engine allows one index for a path, so nothing is found until the new one is built. */
export async function updateSearchIndex(withEngine, command) {
  const { $db: db, updateSearchIndex: collection, definition } = command;
  const index = find(`${db}.${collection}`, command);
  Object.assign(index, { definition, version: index.version + 1, createdAt: new Date() });
  await build(withEngine, { db, collection, index, before: (engine) => dropFromEngine(engine, db, collection, index) });
  return { ok: 1 };
}

export async function dropSearchIndex(engine, command) {
  const { $db: db, dropSearchIndex: collection } = command;
  const place = `${db}.${collection}`;
  const dropped = find(place, command);
  await dropFromEngine(engine, db, collection, dropped);
  forget(place, dropped);
  return { ok: 1 };
}

export function listSearchIndexes(command) {
  const wanted = command.pipeline[0].$listSearchIndexes.name;
  const place = `${command.$db}.${command.aggregate}`;
  const found = (known.get(place) ?? []).filter(({ name }) => wanted === undefined || name === wanted);
  const firstBatch = found.map(({ name, type, definition, version, createdAt, status }) => {
    const state = { status, queryable: status === 'READY' };
    const mainIndex = { ...state, definitionVersion: { version, createdAt }, definition };
    return {
      id: name,
      name,
      type,
      ...state,
      latestDefinitionVersion: { version, createdAt },
      latestDefinition: definition,
      statusDetail: [{ hostname: 'localhost', ...state, mainIndex }],
    };
  });
  return { ok: 1, cursor: { id: Long.ZERO, ns: place, firstBatch } };
}

/** Forgets the indexes of a dropped database. */
export function forgetDatabase(db) {
  for (const place of known.keys()) if (place.startsWith(`${db}.`)) known.delete(place);
}

function forget(place, index) {
  known.set(
    place,
    (known.get(place) ?? []).filter((each) => each !== index),
  );
}

function find(place, { name, id }) {
  const found = known.get(place)?.find((index) => index.name === name || index.name === id);
  if (!found) throw new CommandError(27, 'IndexNotFound', `search index ${name ?? id} not found`);
  return found;
}

/** Returns the definition of a text index that can be searched. */
export function searchDefinition(place, name) {
  const index = known.get(place)?.find((each) => each.name === name && each.type === 'search');
  return index?.status === 'READY' ? index.definition : undefined;
}

/** Does not make a client wait for a long build, like Atlas. Throws if the definition is rejected. */
async function build(withEngine, { db, collection, index, before = async () => {} }) {
  if (index.type === 'search') {
    checkSearchDefinition(index.definition);
    index.status = 'READY';
    return;
  }
  const wanted = index.definition.fields.map((field) => engineIndex(index.name, field));
  index.status = 'BUILDING';
  const building = withEngine(async (engine) => {
    await before(engine);
    await engine.createIndexes(db, collection, serialize({ createIndexes: collection, indexes: wanted }));
  }).then(
    () => {
      index.status = 'READY';
    },
    (error) => {
      index.status = 'FAILED';
      throw error;
    },
  );
  building.catch(() => {});
  await Promise.race([building, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())]);
}

/** The indexes for filters stay, because another search index may use them. */
async function dropFromEngine(engine, db, collection, { name, type }) {
  if (type === 'search') return;
  await engine.dropIndexes(db, serialize({ dropIndexes: collection, index: name }));
}

/** Translates a pipeline that begins with $vectorSearch. The engine has separate stages for graph and exact search. */
export function vectorPipeline(raw) {
  const spec = deserialize(raw, KEEP_TYPES);
  const [{ $vectorSearch }, ...rest] = spec.pipeline;
  const { path, queryVector, numCandidates, limit, filter, exact } = $vectorSearch;
  const filtered = filter ? { filter } : {};
  // The engine walks the graph for fewer candidates than Atlas does. Beyond that, search is exact.
  const looksAtAll = exact?.valueOf() || limit > MOST_CANDIDATES;
  const candidates = Math.min(numCandidates ?? MOST_CANDIDATES, MOST_CANDIDATES);
  const first = looksAtAll
    ? { $search: { cosmosSearch: { path, vector: queryVector, k: limit, exact: true, ...filtered } } }
    : { $vectorSearch: { path, queryVector, numCandidates: candidates, limit, ...filtered } };
  return serialize({ ...spec, pipeline: [first, ...rest.map(withAtlasScore), { $unset: '__cosmos_meta__' }] });
}

function engineIndex(name, field) {
  if (field.type !== 'vector') return { key: { [field.path]: 1 }, name: `filter__${field.path}` };
  const { numDimensions: dimensions, similarity } = field;
  const cosmosSearchOptions = { ...methodOf(field), similarity: SIMILARITY[similarity], dimensions };
  return { key: { [field.path]: 'cosmosSearch' }, name, cosmosSearchOptions };
}

/** A flat index compares all vectors, as one with a single list does. */
function methodOf({ indexingMethod, hnswOptions: { maxEdges = 16, numEdgeCandidates = 100 } = {} }) {
  if (indexingMethod === 'flat') return { kind: 'vector-ivf', numLists: 1 };
  return { kind: 'vector-hnsw', m: maxEdges, efConstruction: Math.min(numEdgeCandidates, MOST_EDGE_CANDIDATES) };
}

/** Atlas scores a cosine as (1 + cosine) / 2, the engine as the cosine itself. */
function withAtlasScore(node) {
  if (Array.isArray(node)) return node.map(withAtlasScore);
  if (node === null || typeof node !== 'object' || node._bsontype) return node;
  if (node.$meta === 'vectorSearchScore') return { $divide: [{ $add: [1, '$__cosmos_meta__.score'] }, 2] };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withAtlasScore(value)]));
}
