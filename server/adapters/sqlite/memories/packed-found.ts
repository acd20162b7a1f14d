import type { Relevant, RelevantFound } from '../keywords/keyword-search.js';

/**
 * A ranking as numbers: each seq, followed by its relevance. Passing a hundred objects from one thread to another takes
 * ten times as long.
 */
export type PackedFound = Omit<RelevantFound, 'found'> & { packed: Float64Array };

export function packedFound({ found, ...others }: RelevantFound): PackedFound {
  const packed = new Float64Array(2 * found.length);
  for (const [at, { seq, relevance }] of found.entries()) {
    packed[2 * at] = seq;
    packed[2 * at + 1] = relevance;
  }
  return { ...others, packed };
}

export function unpackedFound({ packed, ...others }: PackedFound): RelevantFound {
  const found: Relevant[] = [];
  for (let at = 0; at < packed.length; at += 2) {
    found.push({ seq: packed[at] as number, relevance: packed[at + 1] as number });
  }
  return { ...others, found };
}
