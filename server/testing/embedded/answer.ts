import { isDeepStrictEqual } from 'node:util';
import type { Match, VectorQuery } from '../../ports/memory-reader.js';
import type { MemoryModel } from '../adapter-suites/model/memory-model.js';

/** The largest difference between two sums of the same products in different orders. */
const ROUNDING = 1e-5;

/** @throws {Error} unless these are the best matches of the model; the order of ties is free */
export function compareAnswer(found: readonly Match[], model: MemoryModel, query: VectorQuery): void {
  const expected = model.ranked(query);
  const byId = new Map(expected.map((entry) => [entry.id, entry]));
  const wrong = found.findIndex(({ memory, score, similarity }, rank) => {
    const entry = byId.get(memory.id);
    byId.delete(memory.id);
    const differs =
      !entry ||
      Math.abs(score - (expected[rank]?.score ?? 0)) > ROUNDING ||
      Math.abs(similarity - entry.similarity) > ROUNDING;
    return differs || !isDeepStrictEqual(memory, model.stored.get(memory.id)?.memory);
  });
  const wanted = Math.min(query.limit, expected.length);
  if (wrong === -1 && found.length === wanted) return;
  const { vector: _, ...asked } = query;
  const answer = wrong === -1 ? `${found.length} in place of ${wanted}` : `at rank ${wrong} what must not be there`;
  throw new Error(`A search found ${answer}: ${JSON.stringify(asked)}`);
}
