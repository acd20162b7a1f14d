import { createRequire } from 'node:module';

/** Rows of a matrix with their dot products with a query, largest product first. */
export interface Scanned {
  rows: ArrayLike<number>;
  products: ArrayLike<number>;
}

/**
 * Finds the `k` rows of a row-major matrix with the largest dot products with a
 * query, which are cheaper than cosines. `codes` must start at the start of its
 * buffer, and `k` must be at most the number of its rows.
 */
export type Scan = (codes: Int8Array, query: Int8Array, k: number) => Scanned;

const require = createRequire(import.meta.url);
let loaded: Scan | undefined;

/** Runs the native scan, which its first call loads because a start would wait for that; see `loadScan`. */
export const nativeScan: Scan = (codes, query, k) => {
  loaded ??= loadScan();
  return loaded(codes, query, k);
};

/** Returns the native scan, or the plain one if the native module does not load on the platform. */
export function loadScan(): Scan {
  return loadNativeScan() ?? plainScan;
}

export function loadNativeScan(): Scan | undefined {
  try {
    const { exactSearch, MetricKind } = require('usearch') as typeof import('usearch');
    return (codes, query, k) => {
      // One thread is enough: the library uses threads only for several queries at once.
      const { keys, distances } = exactSearch(codes, query, query.length, k, MetricKind.IP, 1);
      return { rows: lowHalves(keys), products: distances.map((each) => 1 - each) };
    };
  } catch {
    return undefined;
  }
}

/** Returns keys below 2 ** 32 as numbers. Converting each from a bigint takes ten times as long. */
function lowHalves(keys: BigUint64Array): Uint32Array {
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const low = new Uint32Array(keys.length);
  for (let index = 0; index < low.length; index += 1) low[index] = halves[2 * index] as number;
  return low;
}

/** Does the same in JavaScript, some fifty times slower. */
export const plainScan: Scan = (codes, query, k) => {
  const products = new Float64Array(codes.length / query.length);
  for (let row = 0; row < products.length; row += 1) products[row] = dot(codes, row * query.length, query);
  const rows = topRows(products, k);
  return { rows, products: Float64Array.from(rows, (row) => products[row] as number) };
};

function dot(codes: Int8Array, start: number, query: Int8Array): number {
  let sum = 0;
  for (let index = 0; index < query.length; index += 1) {
    sum += (codes[start + index] as number) * (query[index] as number);
  }
  return sum;
}

function topRows(products: Float64Array, k: number): Uint32Array {
  const rows = Uint32Array.from(products, (_, row) => row);
  rows.sort((a, b) => (products[b] as number) - (products[a] as number) || a - b);
  return rows.subarray(0, k);
}
