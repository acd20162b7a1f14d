import {
  COLLECTIONS,
  indexesFor,
  type KeywordIndex,
  vectorIndexDefinition,
  vectorIndexNames,
} from './engine/schema.js';
import { WORDS_INDEX } from './keywords/words-index.js';

/** Bytes of a document beside its vector, for a content of 1,000 characters. */
const DOCUMENT_BYTES = 2_000;
/** Bytes of the entries of a memory in the indexes of the database, and their number. */
const INDEX_ENTRY_BYTES = 3_500;
const INDEX_ENTRIES = 115;
/** The part of them that the index of words has. */
const WORD_ENTRY_BYTES = 2_100;
const WORD_ENTRIES = 70;
/** Bytes of a memory in the search index of words: its words, facets and times. */
const SEARCHED_WORD_BYTES = 700;
const COMPONENT_BYTES = 4;
/** Bytes of one edge of the graph. A memory has twice as many in the lowest layer. */
const EDGE_BYTES = 4;
/** Share of a vector that a search index keeps in memory. */
const KEPT = { none: 1, scalar: 1 / 4, binary: 1 / 32 } as const;
const GIGABYTE = 1e9;

/** Returns what the setup creates, and the estimated sizes for a number of memories of about 1,000 characters. */
export function setUpPlan(dimensions: number, memories: number, keywords: KeywordIndex = 'index'): string[] {
  const isSearched = keywords === 'search';
  const entryBytes = INDEX_ENTRY_BYTES - (isSearched ? WORD_ENTRY_BYTES : 0);
  const entries = INDEX_ENTRIES - (isSearched ? WORD_ENTRIES : 0);
  const vector = dimensions * COMPONENT_BYTES;
  const document = DOCUMENT_BYTES + vector;
  const graph = graphBytes(dimensions);
  const sizeOf = (bytes: number) => `${((bytes * memories) / GIGABYTE).toFixed(1)} GB`;
  return [
    ...COLLECTIONS.map((schema) => `collection ${schema.name}: ${indexesFor(schema, keywords).length} indexes`),
    ...vectorIndexNames(dimensions).map((name) => `vector index ${name}: ${dimensions} dimensions`),
    ...(isSearched ? [`search index ${WORDS_INDEX}: words`] : []),
    `Estimates for ${memories} memories of 1,000 characters:`,
    `  documents: ${sizeOf(document)}, ${document} bytes each`,
    `  indexes of the database: ${sizeOf(entryBytes)}, about ${entries} entries each`,
    ...(isSearched ? [`  search index of words, on disk: ${sizeOf(SEARCHED_WORD_BYTES)}`] : []),
    ...Object.entries(KEPT).map(
      ([quantization, share]) =>
        `  memory of the vector index, quantization ${quantization}: ${sizeOf(vector * share + graph)}`,
    ),
    `  memory of the vector index without a graph (flat): ${sizeOf(vector)}`,
    'Prices change: compare these sizes with the tiers of your provider. docs/scale.md names tiers to begin with.',
  ];
}

function graphBytes(dimensions: number): number {
  const [vector] = vectorIndexDefinition(dimensions).fields;
  return 2 * vector.hnswOptions.maxEdges * EDGE_BYTES;
}
