import { availableParallelism } from 'node:os';

/** Rows of a matrix and how similar they are to a query, best first. */
export interface Scanned {
  rows: ArrayLike<number>;
  similarities: ArrayLike<number>;
}

/**
 * Finds the rows of a row-major matrix that are most similar by cosine.
 * `codes` starts at the start of its buffer, and `k` is at most the number of
 * its rows.
 */
export interface Scan {
  /** The `k` best rows for one query. */
  one(codes: Int8Array, query: Int8Array, k: number): Scanned;
  /** The `k` best rows for each of several queries, in one pass over the matrix. */
  many(codes: Int8Array, queries: readonly Int8Array[], k: number): Scanned[];
}

/** The native scan, or the plain one on platforms where the native module does not load. */
export async function loadScan(): Promise<Scan> {
  return (await loadNativeScan()) ?? plainScan;
}

export async function loadNativeScan(): Promise<Scan | undefined> {
  try {
    const { exactSearch, MetricKind } = await import('usearch');
    const threads = Math.min(2, availableParallelism());
    return {
      // One thread: starting a second one for each block costs more than it saves.
      one: (codes, query, k) => toScanned(exactSearch(codes, query, query.length, k, MetricKind.Cos, 1)),
      many: (codes, queries, k) => {
        const dimensions = queries[0]?.length ?? 1;
        const found = exactSearch(codes, together(queries), dimensions, k, MetricKind.Cos, threads);
        return queries.map((_, index) => toScanned(part(found, index * k, k)));
      },
    };
  } catch {
    return undefined;
  }
}

interface NativeMatches {
  keys: BigUint64Array;
  distances: Float32Array;
}

function toScanned({ keys, distances }: NativeMatches): Scanned {
  return { rows: Uint32Array.from(keys as Iterable<bigint>, Number), similarities: distances.map((each) => 1 - each) };
}

function part({ keys, distances }: NativeMatches, from: number, count: number): NativeMatches {
  return { keys: keys.subarray(from, from + count), distances: distances.subarray(from, from + count) };
}

function together(queries: readonly Int8Array[]): Int8Array {
  const dimensions = queries[0]?.length ?? 0;
  const all = new Int8Array(queries.length * dimensions);
  for (const [index, query] of queries.entries()) all.set(query, index * dimensions);
  return all;
}

/** The same in JavaScript, some fifty times slower. */
export const plainScan: Scan = {
  one: (codes, query, k) => {
    const dimensions = query.length;
    const similarities = new Float64Array(codes.length / dimensions);
    const queryNorm = norm(query, 0, dimensions);
    for (let row = 0; row < similarities.length; row += 1) {
      const start = row * dimensions;
      similarities[row] = dot(codes, start, query) / (norm(codes, start, dimensions) * queryNorm || 1);
    }
    const rows = topRows(similarities, k);
    return { rows, similarities: Float64Array.from(rows, (row) => similarities[row] as number) };
  },
  many: (codes, queries, k) => queries.map((query) => plainScan.one(codes, query, k)),
};

function dot(codes: Int8Array, start: number, query: Int8Array): number {
  let sum = 0;
  for (let index = 0; index < query.length; index += 1) {
    sum += (codes[start + index] as number) * (query[index] as number);
  }
  return sum;
}

function norm(codes: Int8Array, start: number, dimensions: number): number {
  let sum = 0;
  for (let index = start; index < start + dimensions; index += 1) {
    sum += (codes[index] as number) ** 2;
  }
  return Math.sqrt(sum);
}

function topRows(similarities: Float64Array, k: number): Uint32Array {
  const rows = Uint32Array.from(similarities, (_, row) => row);
  rows.sort((a, b) => (similarities[b] as number) - (similarities[a] as number) || a - b);
  return rows.subarray(0, k);
}
