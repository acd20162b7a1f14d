/** Rows of a matrix and how similar they are to a query, best first. */
export interface Scanned {
  rows: ArrayLike<number>;
  similarities: ArrayLike<number>;
}

/**
 * Finds the `k` rows of a row-major matrix that are most similar to a query by
 * cosine. `codes` starts at the start of its buffer, and `k` is at most the
 * number of its rows.
 */
export type Scan = (codes: Int8Array, query: Int8Array, k: number) => Scanned;

/** The native scan, or the plain one on platforms where the native module does not load. */
export async function loadScan(): Promise<Scan> {
  return (await loadNativeScan()) ?? plainScan;
}

export async function loadNativeScan(): Promise<Scan | undefined> {
  try {
    const { exactSearch, MetricKind } = await import('usearch');
    return (codes, query, k) => {
      // Its threads are for several queries at once.
      const { keys, distances } = exactSearch(codes, query, query.length, k, MetricKind.Cos, 1);
      const rows = Uint32Array.from(keys as Iterable<bigint>, Number);
      return { rows, similarities: distances.map((each) => 1 - each) };
    };
  } catch {
    return undefined;
  }
}

/** The same in JavaScript, some fifty times slower. */
export const plainScan: Scan = (codes, query, k) => {
  const dimensions = query.length;
  const similarities = new Float64Array(codes.length / dimensions);
  const queryNorm = norm(query, 0, dimensions);
  for (let row = 0; row < similarities.length; row += 1) {
    const start = row * dimensions;
    similarities[row] = dot(codes, start, query) / (norm(codes, start, dimensions) * queryNorm || 1);
  }
  const rows = topRows(similarities, k);
  return { rows, similarities: Float64Array.from(rows, (row) => similarities[row] as number) };
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
