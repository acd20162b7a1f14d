import type { Collection, Document } from 'mongodb';
import type { IndexedWords } from '../search-index/canaries.js';
import { has, listSearchIndexes, makeSearchIndex } from '../search-index/search-indexes.js';

/** Name of the search index of words. */
export const WORDS_INDEX = 'memories_words';

/** The search index of words, as canaries know it. Every change of words moves `indexedAt`. */
export const INDEXED_WORDS: IndexedWords = { name: WORDS_INDEX, indexedAt: 'indexedAt' };

/**
 * Returns the definition of the search index of words. `terms` has each word as the database stores it, since the
 * analyzer changes nothing, and only the documents of a word: scores are constants of the query.
 */
export function wordsIndexDefinition(): Document {
  const analyzer = 'lucene.keyword';
  return {
    mappings: {
      dynamic: false,
      fields: {
        org: { type: 'token' },
        live: { type: 'boolean' },
        subject: { type: 'token' },
        facets: { type: 'token' },
        createdAt: { type: 'number' },
        indexedAt: { type: 'date' },
        terms: {
          type: 'string',
          analyzer,
          searchAnalyzer: analyzer,
          indexOptions: 'docs',
          norms: 'omit',
          store: false,
        },
      },
    },
  };
}

/** Creates the search index of words; see `makeSearchIndex`. */
export function makeWordsIndex(memories: Collection): ReturnType<typeof makeSearchIndex> {
  return makeSearchIndex(memories, {
    name: WORDS_INDEX,
    type: 'search',
    definition: wordsIndexDefinition(),
    replacing: (latest) => (outdatedFields(latest).length > 0 ? completed(latest) : undefined),
    refusal:
      'The deployment of MONGODB_URI cannot create a search index of words: use MongoDB Atlas, or set ' +
      'SERVICE_MONGODB_KEYWORDS to index',
  });
}

/** Returns the fields of the index that are missing or differ, or undefined if there is no index. */
export async function outdatedWords(memories: Collection): Promise<readonly string[] | undefined> {
  const index = (await listSearchIndexes(memories)).find(({ name }) => name === WORDS_INDEX);
  return index && outdatedFields(index.latestDefinition);
}

/** The other options of a field are the operator's, since they change only the size of the index. */
function outdatedFields(definition: Document | undefined): string[] {
  const found = fieldsOf(definition);
  return Object.entries<Document>(fieldsOf(wordsIndexDefinition())).flatMap(([path, { type, analyzer }]) => {
    const required = { type, ...(analyzer !== undefined && { analyzer }) };
    return typesOf(found[path]).some((each) => has(each, required)) ? [] : [path];
  });
}

/** Returns the current definition with the operator's choices and additions in the earlier one. */
function completed(definition: Document | undefined): Document {
  const wanted = fieldsOf(wordsIndexDefinition());
  const outdated = outdatedFields(definition).map((path) => [path, wanted[path]]);
  const fields = { ...fieldsOf(definition), ...Object.fromEntries(outdated) };
  return { ...definition, mappings: { ...definition?.mappings, fields } };
}

function fieldsOf(definition: Document | undefined): Document {
  return definition?.mappings?.fields ?? {};
}

/** A field has one type, or a list of them. */
function typesOf(field: Document | readonly Document[] | undefined): readonly Document[] {
  if (field === undefined) return [];
  return Array.isArray(field) ? field : [field];
}
