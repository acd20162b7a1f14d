import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type DocumentName, documentKey, documentOf } from '../../domain/documents/document.js';
import type { ReadScope, SearchScope } from '../../ports/memory-reader.js';
import type { KeywordPlace } from './explain.js';
import { byScore, type Prepared, type Ranked, type SearchMatch } from './search-modes.js';

/** Memories to search for each missing group, since documents have several chunks. */
const MEMORIES_PER_GROUP = 4;
/** Bound on the memories that one part of the search adds, since their contents are read. */
const MAX_PER_PART = 200;

/**
 * Returns the best match of each document, and each match that belongs to none, best first. It repeats the search
 * outside the documents found so far, until it has `limit` groups or no other memory matches.
 */
export async function searchGroups(search: Prepared, run: (part: Prepared) => Promise<Ranked>): Promise<Ranked> {
  const groups = new Groups();
  const parts: Ranked[] = [];
  for (let isComplete = false; !isComplete; ) {
    const missing = search.limit - groups.size;
    const limit = groups.singles + Math.max(missing, Math.min(MAX_PER_PART, MEMORIES_PER_GROUP * missing));
    const found = await run({ ...search, limit, scope: { ...search.scope, ...groups.outside() } });
    parts.push(found);
    const before = groups.size;
    groups.add(found.matches);
    isComplete = found.isAll || groups.size === before || groups.size >= search.limit;
  }
  const places = parts.flatMap(({ keywords }) => keywords ?? []);
  return {
    matches: groups.best(),
    wordsLeftOut: parts.some((part) => part.wordsLeftOut),
    isAll: parts.at(-1)?.isAll ?? true,
    ...(places.length > 0 && { keywords: joinPlaces(places) }),
  };
}

/** The best match of each document, and matches that belong to none. */
class Groups {
  readonly #best = new Map<string, SearchMatch>();
  readonly #documents = new Map<string, DocumentName>();

  get size(): number {
    return this.#best.size;
  }

  /** Number of matches that belong to no document. */
  get singles(): number {
    return this.#best.size - this.#documents.size;
  }

  /** @param matches best first */
  add(matches: readonly SearchMatch[]): void {
    for (const match of matches) {
      const document = documentOf(match.memory);
      const key = document ? documentKey(document) : match.memory.id;
      if (this.#best.has(key)) continue;
      this.#best.set(key, match);
      if (document) this.#documents.set(key, document);
    }
  }

  /** Returns the scope of a search for other groups. */
  outside(): Pick<SearchScope, 'outside'> {
    return this.#documents.size === 0 ? {} : { outside: [...this.#documents.values()] };
  }

  best(): SearchMatch[] {
    const matches = [...this.#best.values()];
    return matches.sort(byScore);
  }
}

/** Adds to each chunk how many other memories of its document match. */
export async function countOthers(
  { store }: Pick<Deps, 'store'>,
  { organizationId, gone }: Caller,
  scope: ReadScope,
  matches: readonly SearchMatch[],
): Promise<SearchMatch[]> {
  const documents = matches.flatMap(({ memory }) => documentOf(memory) ?? []);
  const counts = await store.memories.countByDocument(organizationId, scope, documents, gone?.signal);
  const countOf = new Map(documents.map((document, index) => [documentKey(document), counts[index] ?? 0]));
  return matches.map((match) => {
    const document = documentOf(match.memory);
    if (!document) return match;
    const others = Math.max(0, (countOf.get(documentKey(document)) ?? 0) - 1);
    return { ...match, group: { documentId: document.documentId, others } };
  });
}

/** Joins the rankings by words of several searches. Their relevances compare, since the query is the same. */
function joinPlaces(places: readonly ReadonlyMap<string, KeywordPlace>[]): ReadonlyMap<string, KeywordPlace> {
  const all = new Map(places.flatMap((each) => [...each]));
  const ranked = [...all].sort(([, one], [, other]) => other.relevance - one.relevance);
  return new Map(ranked.map(([id, place], index) => [id, { ...place, rank: index + 1 }]));
}
