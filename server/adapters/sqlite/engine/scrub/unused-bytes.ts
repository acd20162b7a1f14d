/** A range of bytes in a page. `to` is exclusive. */
export interface ByteRange {
  from: number;
  to: number;
}

/** A chain of overflow pages, whose last page may have unused bytes at its end. */
export interface ChainEnd {
  firstPage: number;
  /** Number of bytes in the whole chain. */
  bytes: number;
}

/** The unused bytes of a b-tree page, and the chains of its cells. */
export interface PageUse {
  /** In order; no two ranges are adjacent. */
  unused: ByteRange[];
  /** The chains that begin at this page. */
  chains: ChainEnd[];
}

interface PageKind {
  isLeaf: boolean;
  /** True if the cells belong to a table and have row ids. */
  isTable: boolean;
}

/** The kinds of b-tree pages by their first byte. */
const KINDS: ReadonlyMap<number, PageKind> = new Map([
  [2, { isLeaf: false, isTable: false }],
  [5, { isLeaf: false, isTable: true }],
  [10, { isLeaf: true, isTable: false }],
  [13, { isLeaf: true, isTable: true }],
]);

const LEAF_HEADER_BYTES = 8;
const INTERIOR_HEADER_BYTES = 12;
const PAGE_NUMBER_BYTES = 4;
const FREEBLOCK_HEADER_BYTES = 4;
const MIN_CELL_BYTES = 4;

/** Reports a page that does not follow the file format. */
export class PageFormatError extends Error {
  override name = 'PageFormatError';
}

/** Reports if a page belongs to a b-tree. Others begin with a page number: below `MAX_PAGES` its first byte is 0 or 1. */
export function isTreePage(page: Buffer, headerAt: number): boolean {
  return KINDS.has(page.readUInt8(headerAt));
}

/** From this page number on, the first byte of a number may equal that of a b-tree page. */
export const MAX_PAGES = 0x02_00_00_00;

/**
 * Returns the unused bytes of a b-tree page, see https://sqlite.org/fileformat2.html#b_tree_pages.
 *
 * Balancing moves cells to other pages and leaves their old bytes in the gap before the cells. Deleting leaves old
 * bytes in freeblocks.
 *
 * @param headerAt 100 in the first page of a file, 0 in any other
 * @param usable number of bytes per page that the engine uses
 * @throws {PageFormatError} if the bytes do not add up
 */
export function readPageUse(page: Buffer, headerAt: number, usable: number): PageUse {
  const kind = KINDS.get(page.readUInt8(headerAt));
  if (!kind) throw new PageFormatError('not a page of a b-tree');
  const cells = page.readUInt16BE(headerAt + 3);
  // The value 0 means 65,536.
  const contentAt = page.readUInt16BE(headerAt + 5) || 65_536;
  const pointersAt = headerAt + (kind.isLeaf ? LEAF_HEADER_BYTES : INTERIOR_HEADER_BYTES);
  const pointersEnd = pointersAt + 2 * cells;
  if (pointersEnd > contentAt || contentAt > usable) throw new PageFormatError('the cells overlap their pointers');

  const chains: ChainEnd[] = [];
  // Each number contains offset and length, for a fast sort.
  const used = new Float64Array(cells);
  let total = page.readUInt8(headerAt + 7);
  for (let cell = 0; cell < cells; cell += 1) {
    const at = page.readUInt16BE(pointersAt + 2 * cell);
    if (at < contentAt) throw new PageFormatError('a cell begins before the cells');
    const size = cellSize(page, at, { ...kind, usable }, chains);
    if (at + size > usable) throw new PageFormatError('a cell ends after the end of its page');
    used[cell] = at * 65_536 + size;
    total += size;
  }
  const freeblocks = readFreeblocks(page, headerAt, usable);
  for (const { from, to } of freeblocks) total += to - from;
  if (total !== usable - contentAt) throw new PageFormatError('the bytes of a page do not add up');
  const kept = Float64Array.from([...used, ...freeblocks.map(({ from }) => from * 65_536 + FREEBLOCK_HEADER_BYTES)]);
  return { unused: between(pointersEnd, kept.sort(), usable), chains };
}

/** Returns the ranges between the used ones, which are sorted numbers: offset times 65,536 plus length. */
function between(start: number, used: Float64Array, end: number): ByteRange[] {
  const unused: ByteRange[] = [];
  let from = start;
  for (const part of used) {
    const to = Math.floor(part / 65_536);
    if (to < from) throw new PageFormatError('two cells share bytes');
    if (to > from) unused.push({ from, to });
    from = to + (part % 65_536);
  }
  if (end > from) unused.push({ from, to: end });
  return unused;
}

function readFreeblocks(page: Buffer, headerAt: number, usable: number): ByteRange[] {
  const found: ByteRange[] = [];
  let at = page.readUInt16BE(headerAt + 1);
  while (at !== 0) {
    const end = found.at(-1)?.to ?? 0;
    const to = at + (at + FREEBLOCK_HEADER_BYTES <= usable ? page.readUInt16BE(at + 2) : usable);
    if (at < end || to > usable || to - at < FREEBLOCK_HEADER_BYTES)
      throw new PageFormatError('a freeblock is damaged');
    found.push({ from: at, to });
    at = page.readUInt16BE(at);
  }
  return found;
}

/** Returns the number of bytes of a cell in its page. Adds the chain with the rest of the cell to `chains`, if any. */
function cellSize(
  page: Buffer,
  cellAt: number,
  { isLeaf, isTable, usable }: PageKind & { usable: number },
  chains: ChainEnd[],
): number {
  const payloadAt = isLeaf ? cellAt : cellAt + PAGE_NUMBER_BYTES;
  // The cells in inner pages of a table contain only row ids.
  if (isTable && !isLeaf) return Math.max(MIN_CELL_BYTES, payloadAt - cellAt + readVarint(page, payloadAt).bytes);
  const { value: payload, bytes } = readVarint(page, payloadAt);
  const rowIdBytes = isTable ? readVarint(page, payloadAt + bytes).bytes : 0;
  const headBytes = payloadAt - cellAt + bytes + rowIdBytes;
  const local = localBytes(payload, isTable, usable);
  if (local === payload) return Math.max(MIN_CELL_BYTES, headBytes + payload);
  const end = cellAt + headBytes + local;
  if (end + PAGE_NUMBER_BYTES > usable) throw new PageFormatError('a cell ends after the end of its page');
  chains.push({ firstPage: page.readUInt32BE(end), bytes: payload - local });
  return headBytes + local + PAGE_NUMBER_BYTES;
}

/** Returns the number of payload bytes in the cell itself. */
function localBytes(payload: number, isTable: boolean, usable: number): number {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((payload - least) % (usable - PAGE_NUMBER_BYTES));
  return local <= most ? local : least;
}

/** Reads a varint. A row id of 9 bytes may be rounded, since only its length is used. */
function readVarint(page: Buffer, at: number): { value: number; bytes: number } {
  let value = 0;
  for (let bytes = 1; bytes < 9; bytes += 1) {
    const byte = page.readUInt8(at + bytes - 1);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, bytes };
  }
  return { value: value * 256 + page.readUInt8(at + 8), bytes: 9 };
}
