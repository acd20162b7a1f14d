import { expect, test } from 'vitest';
import { BLOCK_ROWS, type SavedRows } from './block.js';
import { VectorMatrix } from './matrix.js';
import { SavedMatrixBuilder } from './saved-matrix.js';
import { plainScan } from './scan.js';

const DIMENSIONS = 2;

test('rows whose codes are read into the room of a matrix are those that were saved, across blocks', () => {
  const builder = new SavedMatrixBuilder(DIMENSIONS);
  const seqs = Array.from({ length: 2 * BLOCK_ROWS + 10 }, (_, row) => row + 1);

  for (let at = 0; at < seqs.length; at += 1_000) loadInto(builder, seqs.slice(at, at + 1_000), 1);

  expect(rowsOf(builder)).toEqual(new Map(seqs.map((seq) => [seq, codesOf(seq)])));
});

test('saved rows replace those with the same seqs, and rows of another step keep their values', () => {
  const builder = new SavedMatrixBuilder(DIMENSIONS);
  loadInto(builder, [1, 2, 3, 4], 1);

  loadInto(builder, [6, 3, 7, 1], 1);
  builder.remove([2, 99]);
  loadInto(builder, [8, 2], 2);

  // The codes of a finer step are halved. A half becomes even.
  const halved: [number, number[]][] = [
    [1, [0, -50]],
    [3, [2, -48]],
    [4, [2, -48]],
    [6, [3, -47]],
    [7, [4, -46]],
  ];
  expect(rowsOf(builder)).toEqual(new Map([...halved, [8, codesOf(8)], [2, codesOf(2)]]));
  expect(builder.matrix.errors).toEqual(
    new Map([
      [1, 0.5],
      [2, 0.5],
    ]),
  );
});

test('a matrix keeps its rows when all rows of its last block leave', () => {
  const builder = new SavedMatrixBuilder(DIMENSIONS);
  const seqs = Array.from({ length: BLOCK_ROWS }, (_, row) => row + 1);
  loadInto(builder, seqs, 1);
  loadInto(builder, [1], 1);

  builder.remove([BLOCK_ROWS]);
  loadInto(builder, [BLOCK_ROWS + 1, BLOCK_ROWS + 2], 1);
  builder.remove([BLOCK_ROWS + 2]);

  const left = [...seqs.slice(0, -1), BLOCK_ROWS + 1];
  expect(rowsOf(builder)).toEqual(new Map(left.map((seq) => [seq, codesOf(seq)])));
});

/** Loads rows as a file does: the codes are written first. */
function loadInto(builder: SavedMatrixBuilder, seqs: readonly number[], step: number): void {
  const room = builder.roomFor(seqs.length);
  let from = 0;
  const chunks = room.map((codes): SavedRows => {
    const own = seqs.slice(from, from + codes.length / DIMENSIONS);
    from += own.length;
    codes.set(own.flatMap(codesOf));
    return { seqs: Float64Array.from(own), createdAts: Float64Array.from(own), codes, step, error: 0.5 };
  });
  expect(from).toBe(seqs.length);
  for (const chunk of chunks) builder.load(chunk);
}

function codesOf(seq: number): number[] {
  return [seq % 100, (seq % 90) - 100];
}

function rowsOf(builder: SavedMatrixBuilder): Map<number, number[]> {
  const matrix = new VectorMatrix(DIMENSIONS, plainScan, builder.matrix);
  const rows = new Map<number, number[]>();
  for (let start = 0; start < matrix.size; start += BLOCK_ROWS) {
    const { seqs, codes } = matrix.copy(start, BLOCK_ROWS);
    for (const [row, seq] of seqs.entries()) rows.set(seq, [...codes.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS)]);
  }
  return rows;
}
