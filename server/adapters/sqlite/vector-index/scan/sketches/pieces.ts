import { BLOCK_ROWS } from '../block.js';
import type { SketchKernel } from './kernel.js';
import { ROWS_TOGETHER, type SketchLayout } from './layout.js';
import type { BlockSketch, SketchQuery } from './sketcher.js';

const PIECES_PER_BLOCK = 2;
const PIECE_ROWS = BLOCK_ROWS / PIECES_PER_BLOCK;
const WORD_BYTES = 4;
/** Indexes of the words stored about the query, the layout and the bounds. Those about each block follow. */
const [NUMBERS, HEAD, TABLES, HEAD_LENGTH, PLANES, UPPERS, LARGEST, QUERY_WORDS] = [0, 1, 2, 3, 4, 5, 6, 7];
const [HEADS, BITS, FACTORS, SLACKS, BLOCK_WORDS] = [0, 1, 2, 3, 4];

/** Addresses for a scan of blocks. */
export interface ScanRoom {
  /** Receives the bounds of the rows of all blocks. */
  uppers: number;
  /** Receives the largest of each `ROWS_TOGETHER` bounds. */
  largest: number;
  /** See `piecesBytes`. */
  pieces: number;
}

/** Where the pieces of a scan are. */
export interface PiecesPlace {
  kernel: SketchKernel;
  address: number;
}

/** Parts of a scan of sketches. What each of them reads and writes is in the memory of the kernel, for any thread. */
export interface Pieces extends PiecesPlace {
  count: number;
}

/** Scans pieces. */
export interface PieceScanner {
  /** Starts a scan. The one before must be finished. */
  begin(pieces: Pieces): void;
  /** Returns when all pieces of the scan have been scanned. */
  finish(): void;
  /** True if a thread may still write bounds of a former scan whose pieces were there. */
  isWriting(place: PiecesPlace): boolean;
}

/** Returns the size of the pieces of this number of blocks in the memory of a kernel. */
export function piecesBytes(blocks: number): number {
  return WORD_BYTES * (QUERY_WORDS + blocks * BLOCK_WORDS);
}

/** Writes the pieces of these blocks. */
export function writePieces(
  kernel: SketchKernel,
  { dimensions, head }: SketchLayout,
  query: SketchQuery,
  blocks: readonly BlockSketch[],
  { uppers, largest, pieces }: ScanRoom,
): Pieces {
  const { words } = kernel;
  const ofQuery = pieces / WORD_BYTES;
  words[ofQuery + NUMBERS] = query.numbers;
  words[ofQuery + HEAD] = query.head;
  words[ofQuery + TABLES] = query.tables;
  words[ofQuery + HEAD_LENGTH] = head;
  words[ofQuery + PLANES] = dimensions / 8;
  words[ofQuery + UPPERS] = uppers;
  words[ofQuery + LARGEST] = largest;
  for (const [n, { heads, bits, factors, slacks }] of blocks.entries()) {
    const ofBlock = ofQuery + QUERY_WORDS + n * BLOCK_WORDS;
    words[ofBlock + HEADS] = heads;
    words[ofBlock + BITS] = bits;
    words[ofBlock + FACTORS] = factors;
    words[ofBlock + SLACKS] = slacks;
  }
  return { kernel, address: pieces, count: PIECES_PER_BLOCK * blocks.length };
}

/** Computes the bounds of the rows of a piece. */
export function scanPiece({ kernel, address }: PiecesPlace, piece: number): void {
  const { words } = kernel;
  const ofQuery = address / WORD_BYTES;
  const ofBlock = ofQuery + QUERY_WORDS + Math.floor(piece / PIECES_PER_BLOCK) * BLOCK_WORDS;
  const word = (at: number) => words[at] as number;
  const [headLength, planes] = [word(ofQuery + HEAD_LENGTH), word(ofQuery + PLANES)];
  const bound = piece * PIECE_ROWS;
  const row = (piece % PIECES_PER_BLOCK) * PIECE_ROWS;
  kernel.functions.scan(
    PIECE_ROWS,
    word(ofQuery + NUMBERS),
    word(ofQuery + HEAD),
    word(ofQuery + TABLES),
    word(ofBlock + HEADS) + row * headLength,
    headLength,
    word(ofBlock + BITS) + row * planes,
    planes,
    word(ofBlock + FACTORS) + 4 * row,
    word(ofBlock + SLACKS) + 4 * row,
    word(ofQuery + UPPERS) + 4 * bound,
    word(ofQuery + LARGEST) + (4 * bound) / ROWS_TOGETHER,
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

  isWriting(_place: PiecesPlace): boolean {
    return false;
  }
}
