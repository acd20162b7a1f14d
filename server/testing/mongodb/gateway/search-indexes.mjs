// The vector indexes of Atlas, in DocumentDB's words.
import { deserialize, Long, serialize } from 'bson';
import { CommandError } from './errors.mjs';
import { KEEP_TYPES } from './vectors.mjs';

const MOST_CANDIDATES = 1_000;
const SIMILARITY = { cosine: 'COS', dotProduct: 'IP', euclidean: 'L2' };

/** Definitions by collection: the engine keeps the indexes, not what Atlas says of them. */
const known = new Map();

export async function createSearchIndexes(engine, command) {
  const collection = command.createSearchIndexes;
  const place = `${command.$db}.${collection}`;
  const indexes = known.get(place) ?? [];
  for (const { name = 'default', type = 'search', definition } of command.indexes) {
    if (indexes.some((index) => index.name === name)) {
      throw new CommandError(68, 'IndexAlreadyExists', `Duplicate Index: ${name}`);
    }
    if (type !== 'vectorSearch') throw new CommandError(115, 'CommandNotSupported', `no search index of type ${type}`);
    const wanted = definition.fields.map((field) => engineIndex(name, field));
    await engine.createIndexes(command.$db, collection, serialize({ createIndexes: collection, indexes: wanted }));
    indexes.push({ name, type, definition });
  }
  known.set(place, indexes);
  return { ok: 1, indexesCreated: command.indexes.map(({ name = 'default' }) => ({ id: name, name })) };
}

export async function dropSearchIndex(engine, command) {
  const place = `${command.$db}.${command.dropSearchIndex}`;
  const indexes = known.get(place) ?? [];
  const dropped = indexes.find(({ name }) => name === command.name || name === command.id);
  if (!dropped) throw new CommandError(27, 'IndexNotFound', `search index ${command.name} not found`);
  // The indexes to filter by stay: another search index may use them.
  await engine.dropIndexes(command.$db, serialize({ dropIndexes: command.dropSearchIndex, index: dropped.name }));
  known.set(
    place,
    indexes.filter((index) => index !== dropped),
  );
  return { ok: 1 };
}

export function listSearchIndexes(command) {
  const wanted = command.pipeline[0].$listSearchIndexes.name;
  const place = `${command.$db}.${command.aggregate}`;
  const found = (known.get(place) ?? []).filter(({ name }) => wanted === undefined || name === wanted);
  const firstBatch = found.map(({ name, type, definition }) => ({
    id: name,
    name,
    type,
    status: 'READY',
    queryable: true,
    latestDefinition: definition,
  }));
  return { ok: 1, cursor: { id: Long.ZERO, ns: place, firstBatch } };
}

/** Forgets the indexes of a database that is dropped. */
export function forgetDatabase(db) {
  for (const place of known.keys()) if (place.startsWith(`${db}.`)) known.delete(place);
}

/** A pipeline that begins with $vectorSearch. The engine has one stage for the graph and another for exact search. */
export function vectorPipeline(raw) {
  const spec = deserialize(raw, KEEP_TYPES);
  const [{ $vectorSearch }, ...rest] = spec.pipeline;
  const { path, queryVector, numCandidates, limit, filter, exact } = $vectorSearch;
  const filtered = filter ? { filter } : {};
  // The engine walks the graph for fewer candidates than Atlas does; for more it looks at all.
  const looksAtAll = exact?.valueOf() || limit > MOST_CANDIDATES;
  const candidates = Math.min(numCandidates ?? MOST_CANDIDATES, MOST_CANDIDATES);
  const first = looksAtAll
    ? { $search: { cosmosSearch: { path, vector: queryVector, k: limit, exact: true, ...filtered } } }
    : { $vectorSearch: { path, queryVector, numCandidates: candidates, limit, ...filtered } };
  return serialize({ ...spec, pipeline: [first, ...rest.map(withAtlasScore), { $unset: '__cosmos_meta__' }] });
}

function engineIndex(name, field) {
  if (field.type !== 'vector') return { key: { [field.path]: 1 }, name: `filter__${field.path}` };
  const cosmosSearchOptions = {
    kind: 'vector-hnsw',
    m: 16,
    efConstruction: 64,
    similarity: SIMILARITY[field.similarity],
    dimensions: field.numDimensions,
  };
  return { key: { [field.path]: 'cosmosSearch' }, name, cosmosSearchOptions };
}

/** Atlas scores a cosine as (1 + cosine) / 2, the engine as the cosine itself. */
function withAtlasScore(node) {
  if (Array.isArray(node)) return node.map(withAtlasScore);
  if (node === null || typeof node !== 'object' || node._bsontype) return node;
  if (node.$meta === 'vectorSearchScore') return { $divide: [{ $add: [1, '$__cosmos_meta__.score'] }, 2] };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withAtlasScore(value)]));
}
