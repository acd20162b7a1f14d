import { DAY_US, type Microseconds } from '../timestamp.js';

/** Preference for newer memories (section 4.11). */
export interface Recency {
  /** Share of age in the score: 0 ignores age, 1 ignores similarity. */
  weight: number;
  halflifeDays: number;
  now: Microseconds;
}

/** Returns the score (1 − w) · similarity + w · 0.5^(age / halflife), in [0, 1] for a similarity in [0, 1]. */
export function blendRecency(
  similarity: number,
  createdAt: Microseconds,
  { weight, halflifeDays, now }: Recency,
): number {
  const ageDays = Math.max(0, now - createdAt) / DAY_US;
  return (1 - weight) * similarity + weight * 0.5 ** (ageDays / halflifeDays);
}

/**
 * Returns the creation time from which a memory of this similarity reaches a score. If none can, the time is later than
 * every memory.
 */
export function firstToReach(score: number, similarity: number, { weight, halflifeDays, now }: Recency): Microseconds {
  const missing = score - (1 - weight) * similarity;
  if (missing <= 0) return 0;
  if (missing > weight) return Number.MAX_SAFE_INTEGER;
  const ageDays = -Math.log2(missing / weight) * halflifeDays;
  return Math.max(0, Math.floor(now - ageDays * DAY_US) - ROUNDING_US);
}

/** Rounding error in microseconds between logarithm and power at the longest half-life. */
const ROUNDING_US = 1_000_000;
