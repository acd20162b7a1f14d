import { formatTimestamp, type Microseconds } from '../../domain/timestamp.js';
import type { FacetSeries, Histogram, ListedMemory } from '../../ports/memory-reader.js';
import type * as wire from '../contract/wire.js';
import { type PresentOptions, presentMemory } from './present.js';

/** Returns a memory of a list. Its content may be cut. */
export function presentListed({ contentLength, ...memory }: ListedMemory, options: PresentOptions): wire.BrowsedMemory {
  const presented = presentMemory(memory, options);
  if (contentLength === undefined) return presented;
  const isCut = Array.from(memory.content).length < contentLength;
  return { ...presented, contentLength, ...(isCut && { truncated: true }) };
}

/** @param starts of the intervals */
export function presentHistogram(
  { counts, series }: Histogram,
  starts: readonly Microseconds[],
): Omit<wire.MemoryCounts, 'interval'> {
  return {
    buckets: starts.map((start, index) => ({
      start: formatTimestamp(start),
      ...presentBucket(counts[index] ?? 0, index, series),
    })),
    ...(series && { values: series.map(({ value, count }) => ({ value, count })) }),
    meta: { count: counts.reduce((sum, count) => sum + count, 0) },
  };
}

function presentBucket(
  count: number,
  index: number,
  series: readonly FacetSeries[] | undefined,
): Omit<wire.MemoryBucket, 'start'> {
  if (!series) return { count };
  const counts = series.map((each) => each.counts[index] ?? 0);
  return { count, counts, other: counts.reduce((rest, each) => rest - each, count) };
}
