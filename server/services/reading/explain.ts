import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Memory } from '../../domain/memory/memory.js';
import { type MatchedWord, matchedWords, tellingTerms } from '../../domain/retrieval/matched-words.js';
import { hybridParts, keywordScore, wordShare } from '../../domain/retrieval/ranking.js';
import { blendRecency, type Recency } from '../../domain/retrieval/recency.js';
import type { KeywordMatches } from '../../ports/memory-reader.js';

/** The place of a memory in the ranking by words. */
export interface KeywordPlace {
  /** Starts at 1. */
  rank: number;
  /** BM25. */
  relevance: number;
  /** Share of the highest relevance that the query allows. */
  share: number;
}

/** How the score of a match is made. */
export interface Explanation {
  /** The summands of the score. */
  parts: { meaning?: number; words?: number; rerank?: number; recency?: number };
  keyword?: KeywordPlace;
  matchedWords: MatchedWord[];
}

interface Explained {
  memory: Memory;
  score: number;
  similarity?: number;
  rerank?: number;
}

interface Asked {
  query: string;
  mode: 'vector' | 'keyword' | 'hybrid';
  recency: Recency;
  keywords: ReadonlyMap<string, KeywordPlace> | undefined;
}

export function keywordPlaces({ matches, most }: KeywordMatches): ReadonlyMap<string, KeywordPlace> {
  return new Map(
    matches.map(({ memory, relevance }, index) => [
      memory.id,
      { rank: index + 1, relevance, share: wordShare(relevance, most) },
    ]),
  );
}

/** Adds an explanation to each match. Other requests run between two matches, since a content may be long. */
export async function explainMatches<Match extends Explained>(
  matches: readonly Match[],
  asked: Asked,
): Promise<(Match & { explanation: Explanation })[]> {
  const terms = tellingTerms(asked.query);
  const explained: (Match & { explanation: Explanation })[] = [];
  for (const match of matches) {
    await nextTurn();
    const keyword = asked.keywords?.get(match.memory.id);
    const explanation = {
      parts: partsOf(match, asked, keyword),
      ...(keyword && { keyword }),
      matchedWords: matchedWords(terms, match.memory.content),
    };
    explained.push({ ...match, explanation });
  }
  return explained;
}

function partsOf(
  { memory, similarity = 0, rerank }: Explained,
  { mode, recency }: Asked,
  keyword: KeywordPlace | undefined,
): Explanation['parts'] {
  const { weight } = recency;
  const blended = (part: number) => (1 - weight) * part;
  const age = weight > 0 && { recency: blendRecency(0, memory.createdAt, recency) };
  if (rerank !== undefined) return { rerank: blended(rerank), ...age };
  if (mode === 'vector') return { meaning: blended(similarity), ...age };
  if (mode === 'keyword') return { words: blended(keywordScore(keyword?.relevance ?? 0)), ...age };
  const { meaning, words } = hybridParts(similarity, keyword?.share ?? 0);
  return { meaning: blended(meaning), words: blended(words), ...age };
}
