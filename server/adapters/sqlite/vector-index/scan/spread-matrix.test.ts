import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { TestThreads } from '../../../../testing/embedded/test-threads.js';
import { unitVector } from '../../../../testing/fixtures/memories.js';
import { BLOCK_ROWS, type SavedRows } from './block.js';
import { type Quantized, quantized } from './codes/quantize.js';
import { COPIED_ROWS, SEARCHES_BEFORE } from './columns/matrix-columns.js';
import { SavedMatrixBuilder } from './saved-matrix.js';
import { loadScan } from './scan.js';
import { MovedError, SpreadMatrix } from './spread-matrix.js';
import type { Candidate } from './top-candidates.js';

const LOCAL_ROWS = 3;
const QUERY = quantized(unitVector([1, 2, 3]));
const STEP = fc.record({
  seq: fc.nat(40),
  vector: fc.nat(5_000),
  kind: fc.constantFrom('put', 'put', 'remove', 'remove', 'spread'),
});
const SAVED_STEP = fc.record({ seq: fc.nat(40), kind: fc.constantFrom('load', 'load', 'remove') });
/** The same scan as in the threads, since another one may round differently. */
const scan = loadScan();
const threads = new TestThreads(LOCAL_ROWS);

afterAll(() => threads[Symbol.asyncDispose]());

describe('SpreadMatrix', () => {
  test('equals a map from seqs to vectors after any puts and removals, in every thread', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(SAVED_STEP, { maxLength: 8 }),
        fc.array(STEP, { maxLength: 60 }),
        async (saved, steps) => {
          const model = new Map<number, Int8Array>();
          const matrix = saved.length > 0 ? savedAfter(saved, model) : spread();
          for (const step of steps) await take(step, matrix, model);

          expect(matrix.size).toBe(model.size);
          expect(await copied(matrix)).toEqual(model);
          const found = await search(matrix, QUERY, 1_000);
          expect(found).toEqual(inOrder(found));
          expect(new Set(seqsOf(found))).toEqual(new Set(model.keys()));
          expect(found.every(({ seq, createdAt }) => createdAt === 2 * seq)).toBe(true);
          const few = await search(matrix, QUERY, 5);
          expect(few.map(({ similarity }) => similarity)).toEqual(
            found.slice(0, 5).map(({ similarity }) => similarity),
          );
          expect(aboveLast(few)).toEqual(aboveLast(found.slice(0, 5)));
          const even = found.filter(({ seq }) => seq % 2 === 0);
          expect(matrix.searchOnly(QUERY, [...seqsOf(even), 1_000], 4)).toEqual(even.slice(0, 4));
          matrix.drop();
        },
      ),
      // After quantizing, two of these vectors are equally similar to the query.
      {
        numRuns: 60,
        examples: [[[], [0, 0, 0, 3_435, 3_391, 0].map((vector, seq) => ({ seq, vector, kind: 'put' as const }))]],
      },
    );
  });

  test('finds all rows that exist from the call to the answer, during any changes', async () => {
    const matrix = filled(20);
    const before = await search(matrix, QUERY, 100);

    const found = await threads.during(
      () => search(matrix, QUERY, 100),
      async () => {
        matrix.remove(0);
        matrix.remove(7);
        matrix.put({ seq: 8, createdAt: 0 }, quantized(unitVector([-1])));
        matrix.put({ seq: 50, createdAt: 0 }, quantized(unitVector([1, 2, 3])));
      },
    );

    expect(found).toEqual(before);
    expect((await search(matrix, QUERY, 1))[0]?.seq).toBe(50);
    expect(seqsOf(await search(matrix, QUERY, 100)).sort()).toEqual([...seqsOf(before), 50].filter(isLeft).sort());
  });

  test('finds rows that are put after all rows but one were removed', async () => {
    const matrix = filled(20);
    for (let seq = 1; seq < 20; seq += 1) matrix.remove(seq);

    for (const seq of [30, 31, 32, 33]) matrix.put({ seq, createdAt: 0 }, quantized(spreadOut(seq)));

    expect(seqsOf(await search(matrix, QUERY, 100)).sort((a, b) => a - b)).toEqual([0, 30, 31, 32, 33]);
  });

  test('copies the rows that exist at the call, even if more are put meanwhile', async () => {
    const matrix = filled(20);
    const copies = matrix.copies();

    const rows = new Map<number, Int8Array>();
    for await (const { seqs } of copies) {
      for (const seq of seqs) rows.set(seq, new Int8Array());
      for (let seq = 100; seq < 110; seq += 1) matrix.put({ seq, createdAt: 0 }, quantized(spreadOut(seq)));
    }

    expect([...rows.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, seq) => seq));
  });

  test('fails to copy if a row is removed meanwhile', async () => {
    const matrix = filled(BLOCK_ROWS + 1);

    const copying = async () => {
      for await (const _ of matrix.copies()) matrix.remove(15);
    };

    await expect(copying()).rejects.toThrow(MovedError);
  });

  test('scans all rows in the main thread after it is dropped', async () => {
    const matrix = filled(20);
    const before = await search(matrix, QUERY, 100);
    const { bytes } = matrix;

    matrix.drop();

    expect(await search(matrix, QUERY, 100)).toEqual(before);
    expect(matrix.bytes).toBeLessThan(bytes);
  });

  test('reads columns while the main thread scans alone, and deletes them when threads get rows', async () => {
    const rows = BLOCK_ROWS + 10;
    await using own = new TestThreads(rows);
    const matrix = filled(rows, own);
    const find = () => matrix.search({ query: QUERY, k: 20 });
    const before = await find();
    const { bytes } = matrix;

    for (let n = 1; n <= SEARCHES_BEFORE + Math.ceil(rows / COPIED_ROWS); n += 1) await find();
    const read = await find();
    const withColumns = matrix.bytes;
    matrix.put({ seq: rows, createdAt: 0 }, quantized(spreadOut(rows)));
    matrix.remove(rows);
    const spread = await find();
    await own.kill();
    const alone = await find();

    expect(withColumns).toBe(bytes + 2 * BLOCK_ROWS * 8);
    expect(read).toEqual({ ...before, bytes: 3 * rows });
    expect(spread).toEqual(before);
    expect(alone).toEqual(before);
    expect(matrix.bytes).toBe(bytes);
  });

  test('loads rows of several blocks and of different steps into the threads', async () => {
    const rows = Array.from({ length: BLOCK_ROWS + 20 }, (_, seq) => seq);
    const axis = { ...savedRows([9_000]), ...quantizedAxis() };

    const matrix = saved(savedRows(rows.slice(0, 10)), axis, savedRows(rows.slice(10)));
    const before = await search(matrix, QUERY, rows.length + 1);
    await matrix.spread();

    expect(matrix.isSpread).toBe(true);
    expect(new Set(seqsOf(before))).toEqual(new Set([...rows, 9_000]));
    expect(matrix.size).toBe(rows.length + 1);
    const found = await search(matrix, QUERY, rows.length + 1);
    expect(new Set(seqsOf(found))).toEqual(new Set([...rows, 9_000]));
    expect(matrix.searchOnly(quantized(unitVector([1])), [9_000, 5], 1)[0]?.similarity).toBeCloseTo(1, 2);
    expect(matrix.codeError).toBeGreaterThan(0);
    matrix.drop();
    const alone = await search(matrix, QUERY, rows.length + 1);
    expect(new Set(seqsOf(alone))).toEqual(new Set([...rows, 9_000]));
  });

  test('finds each row once while rows are handed to the threads', async () => {
    const rows = Array.from({ length: BLOCK_ROWS + 20 }, (_, seq) => seq);
    const matrix = saved(...inThousands(rows).map(savedRows));

    const spreading = matrix.spread();
    matrix.put({ seq: 9_000, createdAt: 0 }, quantized(spreadOut(3)));
    matrix.remove(17);
    const during = await search(matrix, QUERY, 10_000);
    matrix.put({ seq: 9_001, createdAt: 0 }, quantized(spreadOut(4)));
    await spreading;
    const after = await search(matrix, QUERY, 10_000);

    const expected = [...rows.filter((seq) => seq !== 17), 9_000];
    expect(seqsOf(during).sort(ascending)).toEqual(expected);
    expect(seqsOf(after).sort(ascending)).toEqual([...expected, 9_001]);
  });

  test('picks rows by their seqs, those of each step together', () => {
    const rows = Array.from({ length: 20 }, (_, seq) => seq);
    const matrix = saved(savedRows(rows), { ...savedRows([30]), ...quantizedAxis() });

    const { chunks, missing } = matrix.pick([4, 99, 30, 2]);

    expect(chunks.flatMap(({ seqs }) => [...seqs]).sort(ascending)).toEqual([2, 4, 30]);
    expect(chunks.flatMap(({ createdAts }) => [...createdAts]).sort(ascending)).toEqual([4, 8, 60]);
    expect(chunks.map(({ codes, seqs }) => codes.length / seqs.length)).toEqual(chunks.map(() => 8));
    expect(missing).toEqual([99]);
  });

  test('rejects a vector and a query of other dimensions', async () => {
    const matrix = filled(20);
    const other = quantized(new Float32Array([1, 0, 0]));

    expect(() => matrix.put({ seq: 9, createdAt: 9 }, other)).toThrow(/dimensions/);
    await expect(search(matrix, other, 1)).rejects.toThrow(/dimensions/);
    expect(() => matrix.searchOnly(other, [1], 1)).toThrow(/dimensions/);
    expect(await search(matrix, QUERY, 100)).toHaveLength(20);
  });

  test.each(['before', 'during'])('continues in the main thread if a thread ends %s the search', async (moment) => {
    await using mortal = new TestThreads(LOCAL_ROWS);
    const matrix = filled(20, mortal);
    const before = await search(matrix, QUERY, 100);

    if (moment === 'before') await mortal.kill();
    const found = await mortal.during(
      () => search(matrix, QUERY, 100),
      () => mortal.kill(),
    );
    matrix.remove(15);
    matrix.put({ seq: 2, createdAt: 4 }, quantized(unitVector([1, 2, 3])));
    matrix.put({ seq: 90, createdAt: 0 }, quantized(spreadOut(15)));

    expect(found).toEqual(before);
    const after = await search(matrix, QUERY, 100);
    expect(after[0]?.seq).toBe(2);
    expect(seqsOf(after).sort()).toEqual([...seqsOf(before).filter((seq) => seq !== 15), 90].sort());
  });
});

async function search(matrix: SpreadMatrix, query: Quantized, k: number): Promise<Candidate[]> {
  return (await matrix.search({ query, k })).candidates;
}

interface Step {
  seq: number;
  vector: number;
  kind: 'put' | 'remove' | 'spread';
}

interface SavedStep {
  seq: number;
  kind: 'load' | 'remove';
}

const LOADED_ROWS = 5;

async function take({ seq, vector, kind }: Step, matrix: SpreadMatrix, model: Map<number, Int8Array>): Promise<void> {
  if (kind === 'spread') {
    await matrix.spread();
    return;
  }
  if (kind === 'remove') {
    matrix.remove(seq);
    model.delete(seq);
    return;
  }
  const quantization = quantized(spreadOut(vector));
  matrix.put({ seq, createdAt: 2 * seq }, quantization);
  model.set(seq, quantization.codes);
}

/** Returns a matrix that was saved after some steps. */
function savedAfter(steps: readonly SavedStep[], model: Map<number, Int8Array>): SpreadMatrix {
  const builder = new SavedMatrixBuilder(8);
  for (const { seq, kind } of steps) {
    if (kind === 'remove') {
      builder.remove([seq]);
      model.delete(seq);
      continue;
    }
    const rows = savedRows(Array.from({ length: LOADED_ROWS }, (_, n) => seq + n));
    for (const [row, each] of rows.seqs.entries()) model.set(each, rows.codes.slice(8 * row, 8 * row + 8));
    builder.load(rows);
  }
  return new SpreadMatrix(8, scan, threads.threads, builder.matrix);
}

function saved(...chunks: readonly SavedRows[]): SpreadMatrix {
  const builder = new SavedMatrixBuilder(8);
  for (const rows of chunks) builder.load(rows);
  return new SpreadMatrix(8, scan, threads.threads, builder.matrix);
}

function inThousands(rows: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(rows.length / 1_000) }, (_, n) => rows.slice(1_000 * n, 1_000 * (n + 1)));
}

function savedRows(seqs: readonly number[]): SavedRows {
  const vectors = seqs.map((seq) => quantized(spreadOut(seq)));
  return {
    seqs: Float64Array.from(seqs),
    createdAts: Float64Array.from(seqs, (seq) => 2 * seq),
    codes: Int8Array.from(vectors.flatMap(({ codes }) => [...codes])),
    step: vectors[0]?.step ?? 0,
    error: Math.max(...vectors.map(({ error }) => error)),
  };
}

/** Returns the codes of a vector whose step is coarser than those of `spreadOut`. */
function quantizedAxis(): Pick<SavedRows, 'codes' | 'step' | 'error'> {
  const { codes, step, error } = quantized(unitVector([1]));
  return { codes: Int8Array.from(codes), step, error };
}

function spread(from = threads): SpreadMatrix {
  return new SpreadMatrix(8, scan, from.threads);
}

function filled(rows: number, from = threads): SpreadMatrix {
  const matrix = spread(from);
  for (let seq = 0; seq < rows; seq += 1) matrix.put({ seq, createdAt: 2 * seq }, quantized(spreadOut(seq)));
  return matrix;
}

/** Returns a vector with many nonzero components, different for each number. All have the same step. */
function spreadOut(n: number): Float32Array {
  return unitVector([4, ...Array.from({ length: 7 }, (_, axis) => Math.sin((n + 1) * (axis + 1)))]);
}

async function copied(matrix: SpreadMatrix): Promise<Map<number, Int8Array>> {
  const rows = new Map<number, Int8Array>();
  for await (const { seqs, codes } of matrix.copies()) {
    for (const [row, seq] of seqs.entries()) rows.set(seq, codes.slice(8 * row, 8 * row + 8));
  }
  return rows;
}

/** Returns the candidates more similar than the last one. The order of equally similar ones is undefined: they are rescored. */
function aboveLast(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ similarity }) => similarity > (candidates.at(-1)?.similarity ?? 0));
}

function inOrder(found: readonly Candidate[]): Candidate[] {
  return [...found].sort((a, b) => b.similarity - a.similarity || a.seq - b.seq);
}

function isLeft(seq: number): boolean {
  return seq !== 0 && seq !== 7;
}

function seqsOf(found: readonly Candidate[]): number[] {
  return found.map(({ seq }) => seq);
}

function ascending(one: number, other: number): number {
  return one - other;
}
