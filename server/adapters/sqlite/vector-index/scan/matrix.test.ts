import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCK_ROWS, bytesOfRows } from './block.js';
import { CodeErrors } from './codes/code-errors.js';
import {
  agreedError,
  coarsened,
  EXACT_DEVIATIONS,
  likelyMargin,
  productBound,
  type Quantized,
  quantized,
} from './codes/quantize.js';
import { VectorMatrix } from './matrix.js';
import { loadNativeScan, plainScan, type Scan } from './scan.js';
import type { Candidate } from './top-candidates.js';

const native = loadNativeScan();

describe('the scans', () => {
  test('return the same rows', () => {
    const random = randomNumbers(1);
    const rows = Array.from({ length: 700 }, () => randomUnit(random, 48));
    const queries = Array.from({ length: 9 }, () => quantized(randomUnit(random, 48)));
    expect(native).toBeDefined();

    const results: Candidate[][][] = [];
    for (const scan of [plainScan, native!]) {
      const matrix = filled(rows, scan);
      results.push(queries.map((query) => search(matrix, query, 20)));
    }

    const [plain, ...others] = results.map((of) => of.map((found) => found.map(({ seq }) => seq)));
    for (const other of others) expect(other).toEqual(plain);
    const similarities = results.map((of) => of.flat().map(({ similarity }) => similarity));
    for (const each of similarities) {
      for (const [index, similarity] of each.entries()) expect(similarity).toBeCloseTo(similarities[0]![index]!, 4);
    }
  });

  test('find ten of the ten nearest of 20,000 among fifty candidates', () => {
    const random = randomNumbers(2);
    const centres = Array.from({ length: 40 }, () => randomUnit(random, 256));
    const rows = Array.from({ length: 20_000 }, (_, n) => near(random, centres[n % 40]!, 0.7));
    const matrix = filled(rows, native ?? plainScan);

    let found = 0;
    for (let round = 0; round < 50; round += 1) {
      const query = near(random, centres[round % 40]!, 0.7);
      const truth = nearestOf(rows, query, 10);
      const candidates = new Set(search(matrix, quantized(query), 50).map(({ seq }) => seq));
      found += truth.filter((seq) => candidates.has(seq)).length;
    }

    expect(found / 500).toBeGreaterThanOrEqual(0.99);
  });
});

describe('productBound', () => {
  test.each([
    ['even', 1_024, 0],
    ['spiky', 1_024, 8],
    ['sparse', 512, 40],
    ['short', 8, 0],
    ['tiny', 2, 0],
  ])(
    'is an upper bound for %s queries of %i dimensions, for rows close to the query, and for equal errors',
    (_, dimensions, spikes) => {
      const random = randomNumbers(dimensions + spikes);
      const queries = Array.from({ length: 40 }, () => randomUnit(random, dimensions, spikes));
      const close = queries.flatMap((query) => [query, near(random, query, 0.001), near(random, query, 0.1)]);
      const halfway = Float32Array.from({ length: dimensions }, (_each, index) => (index === 0 ? 127 : 0.5));
      const vectors = [
        ...close,
        ...Array.from({ length: 200 }, () => randomUnit(random, dimensions, spikes)),
        unit(halfway),
      ];
      const matrix = filled(vectors, native ?? plainScan);
      const errors = new CodeErrors(dimensions);
      for (const { step, error } of vectors.map(quantized)) errors.add(step, error);

      for (const query of [...queries, unit(halfway)]) {
        const bound = productBound(quantized(query).error, errors.upTo());
        for (const { seq, similarity } of search(matrix, quantized(query), vectors.length)) {
          expect(Math.abs(similarity - cosine(query, vectors[seq]!))).toBeLessThanOrEqual(bound);
        }
      }
    },
  );

  test('covers rows that were rounded repeatedly to coarser steps', () => {
    const errors = new CodeErrors(4);
    const matrix = new VectorMatrix(4, plainScan);
    const row = unit(new Float32Array([1, 1.01, 0.99, 1.02]));
    const coarser = [
      [1, 0.8, 0.8, 0.1],
      [1, 0.5, 0.1, 0],
      [1, 0.1, 0, 0],
    ].map((each) => unit(Float32Array.from(each)));
    for (const [seq, vector] of [row, ...coarser].entries()) {
      const codes = quantized(vector);
      matrix.put({ seq, createdAt: seq }, codes);
      errors.add(codes.step, codes.error);
    }

    const { codes, step } = matrix.copy(0, 1);
    const distance = Math.hypot(...row.map((component, index) => component - codes[index]! * step));
    expect(step).toBeGreaterThan(quantized(row).step);
    expect(distance).toBeLessThanOrEqual(errors.upTo(step));
    expect(errors.upTo(quantized(row).step)).toBe(quantized(row).error);
  });
});

describe('likelyMargin', () => {
  test.each([
    ['even', 1_024, 0],
    ['spiky', 1_024, 8],
    ['sparse', 512, 40],
    ['short', 8, 0],
    ['tiny', 2, 0],
  ])('is not exceeded for %s vectors of %i dimensions', (_, dimensions, spikes) => {
    const random = randomNumbers(dimensions + spikes);
    const vectors = Array.from({ length: 400 }, () => randomUnit(random, dimensions, spikes));
    const codes = vectors.map(quantized);
    const matrix = filled(vectors, plainScan);

    for (let index = 0; index < 40; index += 1) {
      for (const { seq, similarity } of search(matrix, codes[index]!, vectors.length)) {
        const exact = cosine(vectors[index]!, vectors[seq]!);
        const margin = likelyMargin(codes[index]!.step, matrix.copy(0, 0).step, EXACT_DEVIATIONS);
        expect(Math.abs(similarity - exact)).toBeLessThanOrEqual(margin);
      }
    }
  });
});

test('likelyMargin covers rows of a cluster after a row with a step of twice the size has come into their block', () => {
  const random = randomNumbers(3);
  // Vectors of this size have a step that is slightly less than half of the other one.
  const centre = randomUnit(random, 512, 0);
  const vectors = Array.from({ length: 400 }, () => near(random, centre, 0.5));
  const query = quantized(vectors[0]!);
  const spike = Float32Array.from(centre, (_, index) => (index === 0 ? 127 * 1.9 * query.step : 0));

  const matrix = filled([...vectors, spike], plainScan);

  const { step } = matrix.copy(0, 0);
  expect(step / query.step).toBeCloseTo(2, 6);
  for (const { seq, similarity } of search(matrix, query, 100)) {
    const error = Math.abs(similarity - cosine(vectors[0]!, vectors[seq]!));
    expect(error).toBeLessThanOrEqual(likelyMargin(query.step, step, EXACT_DEVIATIONS));
  }
});

describe('agreedError', () => {
  /** Distances of rows from the query from which they were made. */
  const NOISE = [0, 0.001, 0.02, 0.1];

  test.each([
    ['even', 1_024, 0],
    ['spiky', 1_024, 8],
    ['sparse', 512, 40],
    ['short', 8, 0],
  ])(
    'plus likelyMargin covers rows close to the query, for %s vectors and for equal errors',
    (_, dimensions, spikes) => {
      const random = randomNumbers(dimensions + spikes);
      const halfway = unit(Float32Array.from({ length: dimensions }, (_each, index) => (index === 0 ? 127 : 0.5)));
      const queries = [halfway, ...Array.from({ length: 30 }, () => randomUnit(random, dimensions, spikes))];
      const vectors = queries.flatMap((query) => NOISE.map((by) => near(random, query, by)));
      const matrix = filled(vectors, native ?? plainScan);
      const rowStep = matrix.copy(0, 0).step;

      for (const [index, query] of queries.entries()) {
        const codes = quantized(query);
        const margin = likelyMargin(codes.step, rowStep, EXACT_DEVIATIONS) + agreedError(query, codes, rowStep);
        for (const { seq, similarity } of search(matrix, codes, vectors.length)) {
          if (Math.floor(seq / NOISE.length) !== index) continue;
          expect(Math.abs(similarity - cosine(query, vectors[seq]!))).toBeLessThanOrEqual(margin);
        }
      }
      expect(agreedError(halfway, quantized(halfway), rowStep)).toBeGreaterThan(0);
    },
  );
});

describe('VectorMatrix', () => {
  test('compares rows of different steps by their real values', () => {
    const random = randomNumbers(7);
    const rows = Array.from({ length: 600 }, (_, seq) => randomUnit(random, 1_024, seq % 3));
    const matrix = filled(rows, native ?? plainScan);
    const margin = likelyMargin(quantized(rows[0]!).step, matrix.copy(0, 0).step, EXACT_DEVIATIONS);

    for (const query of rows.slice(0, 30)) {
      const found = search(matrix, quantized(query), 600);
      for (const { seq, similarity } of found) {
        expect(Math.abs(similarity - cosine(query, rows[seq]!))).toBeLessThanOrEqual(margin);
      }
      expect(new Set(found.slice(0, 20).map(({ seq }) => seq))).toContain(nearestOf(rows, query, 2)[1]);
    }
  });

  test('equals a map from seqs to vectors after any puts and removals', () => {
    const operations = fc.array(fc.record({ seq: fc.nat(200), vector: fc.nat(5_000), removes: fc.boolean() }), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(operations, (steps) => {
        const matrix = new VectorMatrix(4, plainScan);
        const model = new Map<number, Quantized>();
        for (const { seq, vector, removes } of steps) {
          if (removes) {
            matrix.remove(seq);
            model.delete(seq);
          } else {
            const row = quantized(randomUnit(randomNumbers(vector), 4));
            matrix.put({ seq, createdAt: seq * 2 }, row);
            model.set(seq, row);
          }
        }
        expect(matrix.size).toBe(model.size);
        const found = search(matrix, quantized(unit(new Float32Array([1, 2, 3, 4]))), 1_000);
        expect(found.map(({ seq }) => seq).sort()).toEqual([...model.keys()].sort());
        const { seqs, createdAts, codes, step } = matrix.copy(0, 1_000);
        expect(seqs).toHaveLength(model.size);
        for (const [row, seq] of seqs.entries()) {
          expect(codes.slice(4 * row, 4 * row + 4)).toEqual(coarsened(model.get(seq)!, step));
          expect(createdAts[row]).toBe(seq * 2);
        }
      }),
    );
  });

  test.each([1_000, BLOCK_ROWS + 100])('has little room for more than %i rows', (rows) => {
    const dimensions = 64;
    const matrix = new VectorMatrix(dimensions, plainScan);
    const codes = new Int8Array(dimensions).fill(1);

    for (let seq = 1; seq <= rows; seq += 1) matrix.put({ seq, createdAt: 1 }, { codes, step: 1 });

    expect(matrix.bytes).toBeLessThan(1.15 * bytesOfRows(rows, rows, dimensions));
    expect(matrix.bytes).toBeGreaterThan(bytesOfRows(rows, rows, dimensions));
  });

  test('stores more rows than a block, and finds exactly those that remain', () => {
    const random = randomNumbers(3);
    const rows = Array.from({ length: 9_000 }, () => randomUnit(random, 8));
    const matrix = filled(rows, native ?? plainScan);
    for (let seq = 0; seq < 9_000; seq += 2) matrix.remove(seq);

    const query = randomUnit(random, 8);
    const odd = rows.map((_, seq) => seq).filter((seq) => seq % 2 === 1);
    const some = odd.filter((seq) => seq % 7 === 0);

    expect(matrix.size).toBe(4_500);
    expect(
      search(matrix, quantized(query), 9_000)
        .map(({ seq }) => seq)
        .sort(),
    ).toEqual([...odd].sort());
    const only = matrix.searchOnly(quantized(query), [...some, 4, 100_000], 9_000);
    expect(only.map(({ seq }) => seq).sort()).toEqual([...some].sort());
    expect(matrix.searchOnly(quantized(query), odd, 30)).toEqual(search(matrix, quantized(query), 30));
  });

  test('rejects a vector of other dimensions', () => {
    const matrix = filled([new Float32Array([1, 0])], plainScan);

    expect(() => matrix.put({ seq: 9, createdAt: 9 }, quantized(new Float32Array([1, 0, 0])))).toThrow();
  });
});

function filled(rows: readonly Float32Array[], scan: Scan): VectorMatrix {
  const matrix = new VectorMatrix(rows[0]!.length, scan);
  for (const [seq, vector] of rows.entries()) matrix.put({ seq, createdAt: seq }, quantized(vector));
  return matrix;
}

function search(matrix: VectorMatrix, query: Quantized, k: number): Candidate[] {
  return matrix.search({ query, k }).candidates;
}

function nearestOf(rows: readonly Float32Array[], query: Float32Array, limit: number): number[] {
  return rows
    .map((row, seq) => ({ seq, similarity: cosine(row, query) }))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, limit)
    .map(({ seq }) => seq);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += a[index]! * b[index]!;
  return sum;
}

/** Returns a generator of numbers in [0, 1) that depend only on the seed. */
function randomNumbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @param spikes number of large components. If not 0, most of the others are 0 */
function randomUnit(random: () => number, dimensions: number, spikes = 0): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => (spikes > 0 && random() < 0.8 ? 0 : random() - 0.5));
  for (let spike = 0; spike < spikes; spike += 1) vector[Math.floor(random() * dimensions)] = 10 * random();
  return unit(vector);
}

function near(random: () => number, centre: Float32Array, noise: number): Float32Array {
  const scale = (noise * Math.sqrt(12)) / Math.sqrt(centre.length);
  return unit(centre.map((component) => component + scale * (random() - 0.5)));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(cosine(vector, vector)) || 1;
  return vector.map((component) => component / length);
}
