import type { Microseconds } from './memory.js';

const MICROSECONDS_PER_DAY = 86_400_000_000;

/** How much newer memories are preferred (section 4.11). */
export interface Recency {
  /** 0 ignores age, 1 looks at nothing else. */
  weight: number;
  halflifeDays: number;
  now: Microseconds;
}

/** Score of a match: (1 − w) · similarity + w · 0.5^(age / halflife), in [0, 1] for a similarity in [0, 1]. */
export function blendRecency(
  similarity: number,
  createdAt: Microseconds,
  { weight, halflifeDays, now }: Recency,
): number {
  const ageDays = Math.max(0, now - createdAt) / MICROSECONDS_PER_DAY;
  return (1 - weight) * similarity + weight * 0.5 ** (ageDays / halflifeDays);
}
