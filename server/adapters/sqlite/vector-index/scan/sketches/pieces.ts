import { BLOCK_ROWS } from '../block.js';
import type { SketchKernel } from './kernel.js';
import { ROWS_TOGETHER, type SketchLayout } from './layout.js';
import type { BlockSketch, SketchQuery } from './sketcher.js';

const PIECES_PER_BLOCK = 2;
const PIECE_ROWS = BLOCK_ROWS / PIECES_PER_BLOCK;
/** The numbers stored about the query and the layout, and about each block. */
type QueryNumbers = [numbers: number, head: number, tables: number, headLength: number, planes: number];
type BlockNumbers = [heads: number, bits: number, factors: number, slacks: number, uppers: number, largest: number];
const [QUERY_LENGTH, BLOCK_LENGTH]: [QueryNumbers['length'], BlockNumbers['length']] = [5, 6];
const NUMBER_BYTES = 4;

/** Addresses of the bounds of the rows of a block. */
export interface BlockBounds {
  uppers: number;
  /** The largest of each `ROWS_TOGETHER`. */
  largest: number;
}

/** Parts of a scan of sketches. What each of them reads and writes is in the memory of the kernel, for any thread. */
export interface Pieces {
  kernel: SketchKernel;
  address: number;
  count: number;
}

/** Scans pieces. */
export interface PieceScanner {
  /** Starts a scan. The one before must be finished. */
  begin(pieces: Pieces): void;
  /** Returns when all pieces of the scan have been scanned. */
  finish(): void;
}

/** Returns the size of the pieces of this number of blocks in the memory of a kernel. */
export function piecesBytes(blocks: number): number {
  return NUMBER_BYTES * (QUERY_LENGTH + blocks * BLOCK_LENGTH);
}

/** Writes the pieces of these blocks. */
export function writePieces(
  kernel: SketchKernel,
  address: number,
  { dimensions, head }: SketchLayout,
  query: SketchQuery,
  blocks: readonly (BlockSketch & BlockBounds)[],
): Pieces {
  const numbers: QueryNumbers = [query.numbers, query.head, query.tables, head, dimensions / 8];
  kernel.uint32s(address, QUERY_LENGTH).set(numbers);
  for (const [n, { heads, bits, factors, slacks, uppers, largest }] of blocks.entries()) {
    const own: BlockNumbers = [heads, bits, factors, slacks, uppers, largest];
    kernel.uint32s(address + piecesBytes(n), BLOCK_LENGTH).set(own);
  }
  return { kernel, address, count: PIECES_PER_BLOCK * blocks.length };
}

/** Computes the bounds of the rows of a piece. */
export function scanPiece({ kernel, address }: Omit<Pieces, 'count'>, piece: number): void {
  const block = address + piecesBytes(Math.floor(piece / PIECES_PER_BLOCK));
  const ofQuery: Iterable<number> = kernel.uint32s(address, QUERY_LENGTH);
  const ofBlock: Iterable<number> = kernel.uint32s(block, BLOCK_LENGTH);
  const [numbers, head, tables, headLength, planes] = ofQuery as QueryNumbers;
  const [heads, bits, factors, slacks, uppers, largest] = ofBlock as BlockNumbers;
  const row = (piece % PIECES_PER_BLOCK) * PIECE_ROWS;
  kernel.functions.scan(
    PIECE_ROWS,
    ...([numbers, head, tables, heads + row * headLength, headLength, bits + row * planes, planes] as const),
    ...([factors + 4 * row, slacks + 4 * row, uppers + 4 * row, largest + (4 * row) / ROWS_TOGETHER] as const),
  );
}

/** Scans all pieces in this thread. */
export class OwnScanner implements PieceScanner {
  #pieces: Pieces | undefined;

  begin(pieces: Pieces): void {
    this.#pieces = pieces;
  }

  finish(): void {
    const pieces = this.#pieces;
    for (let piece = 0; pieces && piece < pieces.count; piece += 1) scanPiece(pieces, piece);
    this.#pieces = undefined;
  }
}
