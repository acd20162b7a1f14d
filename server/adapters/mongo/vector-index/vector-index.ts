import type { Collection, Document } from 'mongodb';
import { vectorIndexDefinition, vectorIndexName } from '../engine/schema.js';
import { SLOTS, type VectorSlot } from '../engine/vectors.js';
import type { IndexedVector } from '../search-index/canaries.js';
import { has, type Listed, listSearchIndexes, makeSearchIndex } from '../search-index/search-indexes.js';

/** Creates the index for vectors of a size in a slot; see `makeSearchIndex`. */
export function makeVectorIndex(
  memories: Collection,
  dimensions: number,
  slot: VectorSlot,
): ReturnType<typeof makeSearchIndex> {
  const definition = vectorIndexDefinition(dimensions, slot);
  return makeSearchIndex(memories, {
    name: vectorIndexName(dimensions, slot),
    type: 'vectorSearch',
    definition,
    replacing: (latest) =>
      outdatedFields(latest, chosen(latest, definition)).length > 0 ? completed(latest, definition) : undefined,
    refusal:
      'The deployment of MONGODB_URI cannot create a vector index: use MongoDB Atlas, or another one with Vector ' +
      'Search and room for another index',
  });
}

/** Returns the names of the defined indexes, and those for one size that differ in some fields. */
export async function definedVectors(
  memories: Collection,
  dimensions: number,
): Promise<{ names: Set<string>; outdated: readonly { name: string; fields: readonly string[] }[] }> {
  const defined = await listSearchIndexes(memories);
  const outdated = SLOTS.map((slot) => {
    const name = vectorIndexName(dimensions, slot);
    const own = defined.find((index) => index.name === name);
    return { name, fields: outdatedFields(own?.latestDefinition, requiredDefinition(dimensions, slot)) };
  });
  return {
    names: new Set(defined.map(({ name }) => name)),
    outdated: outdated.filter(({ fields }) => fields.length > 0),
  };
}

/** Returns the vector indexes of some listed ones, with the field that each covers. */
export function vectorIndexes(listed: readonly Listed[]): (IndexedVector & { isQueryable: boolean })[] {
  return listed.flatMap(({ name, queryable, latestDefinition }) => {
    const vector = fieldsOf(latestDefinition).find(({ type }) => type === 'vector');
    const slot = SLOTS.find((each) => vector && name === vectorIndexName(vector.numDimensions, each));
    if (!vector || !slot) return [];
    const { path, numDimensions: dimensions, quantization = 'none' } = vector;
    const isQuantized = quantization !== 'none';
    return [{ name, path, dimensions, indexedAt: slot.indexedAt, isQuantized, isQueryable: queryable === true }];
  });
}

/** Returns the paths of fields that are missing or differ, apart from additions of an operator. */
function outdatedFields(definition: Document | undefined, wanted: Document): string[] {
  const found = fieldsOf(definition);
  return fieldsOf(wanted)
    .filter((field) => !found.some((each) => has(each, field)))
    .map(({ path }) => path);
}

/** Returns the current definition with the operator's choices and additions in the previous one. */
function completed(definition: Document | undefined, wanted: Document): Document {
  const found = new Map(fieldsOf(definition).map((field) => [field.path, field]));
  for (const field of fieldsOf(chosen(definition, wanted))) {
    found.set(field.path, { ...found.get(field.path), ...field });
  }
  return { ...definition, fields: [...found.values()] };
}

/**
 * Returns the wanted definition without the options of the graph, if the operator has chosen the method or the options.
 * A graph without options is from an earlier release.
 */
function chosen(definition: Document | undefined, wanted: Document): Document {
  const vector = fieldsOf(definition).find(({ type }) => type === 'vector');
  if (!vector || (vector.indexingMethod !== 'flat' && !vector.hnswOptions)) return wanted;
  return { fields: fieldsOf(wanted).map(({ hnswOptions: _, ...field }) => field) };
}

/** Returns the definition without which no server starts. The method, its options and quantization are the operator's. */
function requiredDefinition(dimensions: number, slot: VectorSlot): Document {
  const { fields } = vectorIndexDefinition(dimensions, slot);
  return { fields: (fields as IndexField[]).map(({ hnswOptions: _, ...field }) => field) };
}

type IndexField = Document & { path: string };

function fieldsOf(definition: Document | undefined): IndexField[] {
  return definition?.fields ?? [];
}
