import { fdatasyncSync, readSync, writeSync } from 'node:fs';
import { isTreePage, MAX_PAGES, PageFormatError, readPageUse } from './unused-bytes.js';

/** The header in the first page, see https://sqlite.org/fileformat2.html#the_database_header. */
interface FileHeader {
  pageSize: number;
  /** Number of bytes per page that the engine uses. */
  usable: number;
  pages: number;
  firstFreePage: number;
}

interface Chain {
  firstPage: number;
  bytes: number;
}

const HEADER_BYTES = 100;
const PAGE_NUMBER_BYTES = 4;
/** The offset of the engine's locks. The page that contains it is never used. */
const LOCK_BYTE = 0x40_00_00_00;
const BLOCK_PAGES = 32;

/**
 * Overwrites unused bytes of a database file directly, since the engine cannot.
 *
 * It writes zeros only to bytes that no table, index or list uses. So the data stays the same for readers, and after
 * crashes and torn writes. The file must contain the newest state of each page, and nobody else may write meanwhile.
 */
export class DatabaseFile {
  readonly #file: number;
  readonly #header: FileHeader;
  readonly #free: ReadonlySet<number>;

  /** @throws {PageFormatError} if the format of the file is not supported */
  constructor(file: number) {
    this.#file = file;
    this.#header = readHeader(this.#read(0, HEADER_BYTES));
    this.#free = this.#freePages();
  }

  get pages(): number {
    return this.#header.pages;
  }

  /** Overwrites the unused bytes of a block of pages, starting at `first`. @returns the page after them */
  cleanFrom(first: number): number {
    const end = Math.min(first + BLOCK_PAGES, this.pages + 1);
    this.#clean(first, end - first);
    return end;
  }

  /** Overwrites the unused bytes of one page, if the file contains it. */
  clean(page: number): void {
    if (page <= this.pages) this.#clean(page, 1);
  }

  #clean(first: number, count: number): void {
    const { pageSize, usable } = this.#header;
    const block = this.#read((first - 1) * pageSize, count * pageSize);
    const chains: Chain[] = [];
    let [changedFrom, changedTo] = [block.length, 0];
    for (let index = 0; index < count; index += 1) {
      const page = block.subarray(index * pageSize, index * pageSize + usable);
      if (!this.#empty(page, first + index, chains)) continue;
      changedFrom = Math.min(changedFrom, index * pageSize);
      changedTo = (index + 1) * pageSize;
    }
    if (changedTo > 0) this.#write((first - 1) * pageSize + changedFrom, block.subarray(changedFrom, changedTo));
    // A chain may end in this block, so it is read again.
    for (const chain of chains) this.#cleanEnd(chain);
  }

  /** Fills the unused bytes of a page with zeros. @returns true if any of them was not zero */
  #empty(page: Buffer, number: number, chains: Chain[]): boolean {
    const { pageSize, usable } = this.#header;
    if (number === Math.floor(LOCK_BYTE / pageSize) + 1) return false;
    if (this.#free.has(number)) return zero(page, 0, usable);
    const headerAt = number === 1 ? HEADER_BYTES : 0;
    if (!isTreePage(page, headerAt)) return false;
    const use = readPageUse(page, headerAt, usable);
    chains.push(...use.chains);
    return use.unused.map(({ from, to }) => zero(page, from, to)).includes(true);
  }

  /** Overwrites the bytes after the content in the last page of a chain. */
  #cleanEnd({ firstPage, bytes }: Chain): void {
    const { pageSize, usable } = this.#header;
    const perPage = usable - PAGE_NUMBER_BYTES;
    let [number, left] = [firstPage, bytes];
    for (; left > perPage; left -= perPage) number = this.#read(this.#at(number), PAGE_NUMBER_BYTES).readUInt32BE();
    const at = this.#at(number);
    const page = this.#read(at, pageSize);
    if (zero(page, PAGE_NUMBER_BYTES + left, usable)) this.#write(at, page);
  }

  /** Returns the free pages, except those that list them. In these it overwrites the bytes after the list. */
  #freePages(): ReadonlySet<number> {
    const { pageSize, usable, firstFreePage, pages } = this.#header;
    const free = new Set<number>();
    const lists = new Set<number>();
    for (let number = firstFreePage; number !== 0; ) {
      if (lists.has(number)) throw new PageFormatError('the list of free pages has no end');
      lists.add(number);
      const at = this.#at(number);
      const page = this.#read(at, pageSize);
      const count = page.readUInt32BE(PAGE_NUMBER_BYTES);
      const end = (2 + count) * PAGE_NUMBER_BYTES;
      if (end > usable) throw new PageFormatError('a list of free pages is too long');
      for (let entry = 2 * PAGE_NUMBER_BYTES; entry < end; entry += PAGE_NUMBER_BYTES) {
        const listed = page.readUInt32BE(entry);
        if (listed < 2 || listed > pages) throw new PageFormatError('a free page is not in the file');
        free.add(listed);
      }
      if (zero(page, end, usable)) this.#write(at, page);
      number = page.readUInt32BE(0);
    }
    return free;
  }

  #at(page: number): number {
    if (page < 2 || page > this.pages) throw new PageFormatError('a page is not in the file');
    return (page - 1) * this.#header.pageSize;
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const read = readSync(this.#file, bytes, done, length - done, at + done);
      if (read === 0) throw new PageFormatError('the file is shorter than its header says');
      done += read;
    }
    return bytes;
  }

  #write(at: number, bytes: Buffer): void {
    let done = 0;
    while (done < bytes.length) done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
  }
}

/** Returns when the overwritten bytes are durable. */
export function syncFile(file: number): void {
  fdatasyncSync(file);
}

function readHeader(bytes: Buffer): FileHeader {
  const pageSize = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const pages = bytes.readUInt32BE(28);
  if (bytes.readUInt32BE(52) !== 0) throw new PageFormatError('the database moves its pages by itself (auto_vacuum)');
  if (pages >= MAX_PAGES) throw new PageFormatError(`the database has more than ${MAX_PAGES} pages`);
  return { pageSize, usable: pageSize - bytes.readUInt8(20), pages, firstFreePage: bytes.readUInt32BE(32) };
}

const ZEROS = Buffer.alloc(65_536);

/** @returns true if any byte was not zero */
function zero(page: Buffer, from: number, to: number): boolean {
  if (page.compare(ZEROS, 0, to - from, from, to) === 0) return false;
  page.fill(0, from, to);
  return true;
}
