import { Bm25 } from './bm25.js';
import type { Dataset, Question } from './dataset.js';
import type { ProviderEnv } from './providers.js';
import type { Reranker } from './reranker.js';
import { type Answered, judge, RESULTS } from './scores.js';
import { type Asked, type Found, Service } from './service.js';

/** The most that a search returns. */
const RERANKED = 50;

export interface Measured {
  /** Folder of the built server. */
  dist: string;
  env: ProviderEnv;
  modes: readonly string[];
  /** If set, the best results of each mode are also ordered by it. */
  reranker?: Reranker | undefined;
}

/** Returns the results of each mode, and of BM25, for each question. */
export async function measure(
  { dist, env, modes, reranker }: Measured,
  { collections }: Dataset,
): Promise<Map<string, Answered[]>> {
  await using service = await Service.start(dist, collections.length, env);
  const answers = new Map<string, Answered[]>();
  const record = (row: string, question: Question, found: readonly (readonly string[])[]) => {
    answers.set(row, [...(answers.get(row) ?? []), judge(question, found)]);
  };
  for (const collection of collections) {
    const bm25 = new Bm25(collection.documents);
    using asked = await service.store(collection);
    for (const question of collection.questions) {
      const { text } = question;
      const keys = bm25.search(text, RESULTS);
      record(
        'BM25',
        question,
        keys.map((key) => [key]),
      );
      for (const mode of modes) {
        for (const [row, found] of await results(asked, text, mode, reranker)) record(row, question, found);
      }
    }
  }
  return answers;
}

async function results(
  asked: Asked,
  query: string,
  mode: string,
  reranker: Reranker | undefined,
): Promise<[row: string, found: (readonly string[])[]][]> {
  const found = await asked.search(query, mode, reranker ? RERANKED : RESULTS);
  const keysOf = (results: readonly Found[]) => results.slice(0, RESULTS).map(({ keys }) => keys);
  if (!reranker) return [[mode, keysOf(found)]];
  const order = await reranker.order(
    query,
    found.map(({ content }) => content),
  );
  const reranked = order.flatMap((at) => found[at] ?? []);
  return [
    [mode, keysOf(found)],
    [`${mode}, ${reranker.model}`, keysOf(reranked)],
  ];
}
