/** Clips a cosine to [0, 1], the range of every reported similarity. */
export function clip(cosine: number): number {
  return Math.min(1, Math.max(0, cosine));
}
