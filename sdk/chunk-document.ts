export interface ChunkOptions {
  /** Your own name for the document, the same in all its versions. */
  documentId: string;
  /** UTF-16 units that a chunk should have at most. Default: 2,000. */
  maxLength?: number | undefined;
}

/** One part of a document, in the shape of an item to ingest. */
export interface DocumentChunk {
  content: string;
  metadata: { documentId: string; chunkIndex: number; chunkTotal: number };
}

const DEFAULT_MAX_LENGTH = 2_000;
/** Ends of paragraphs, lines, sentences and words: the first of these that is not too early is where to cut. */
const BREAKS = [/\n[^\S\n]*\n/g, /\n/g, /[.!?。！？]["'”’)\]]*\s/g, /\s/g];
/** What belongs to the character before it. */
const CONTINUES = /^(?:\p{M}|\u200d)/u;
const LONGEST_CHARACTER = 32;

/**
 * Cuts a document into chunks that carry the metadata by which the service
 * knows them. The contents joined are the document in NFC.
 *
 * Cuts between paragraphs where it can, between lines, sentences or words where
 * it must. A chunk is longer than `maxLength` only by white space at its end,
 * or where it would repeat an earlier one word for word, which the service
 * would not store twice.
 *
 * @throws {TypeError} for a document without text, or a length below 1
 */
export function chunkDocument(
  text: string,
  { documentId, maxLength = DEFAULT_MAX_LENGTH }: ChunkOptions,
): DocumentChunk[] {
  if (!(maxLength >= 1)) throw new TypeError('maxLength must be at least 1');
  if (text.trim() === '') throw new TypeError('a document without text has no chunks');

  const contents = withoutRepeats(withoutBlanks(cut(text.normalize('NFC'), Math.floor(maxLength))));
  return contents.map((content, chunkIndex) => ({
    content,
    metadata: { documentId, chunkIndex, chunkTotal: contents.length },
  }));
}

function cut(text: string, maxLength: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > maxLength) {
    const end = start + lengthOfPiece(text.slice(start, start + maxLength + LONGEST_CHARACTER), maxLength);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return [...pieces, text.slice(start)];
}

/** @param ahead what is left of the document, at least as far as a piece may go */
function lengthOfPiece(ahead: string, maxLength: number): number {
  const head = ahead.slice(0, maxLength);
  for (const pattern of BREAKS) {
    const last = [...head.matchAll(pattern)].at(-1);
    const end = last ? last.index + last[0].length : 0;
    if (end * 2 > maxLength) return end;
  }
  return betweenCharacters(ahead, maxLength);
}

/** The last place up to `at` that does not part a character from its marks; `at` itself where there is none. */
function betweenCharacters(text: string, at: number): number {
  for (let end = at; end > Math.max(0, at - LONGEST_CHARACTER); end -= 1) {
    if (!isInsideCharacter(text, end)) return end;
  }
  return isInsidePair(text, at) ? at + 1 : at;
}

function isInsideCharacter(text: string, at: number): boolean {
  return isInsidePair(text, at) || CONTINUES.test(text.slice(at, at + 2)) || text[at - 1] === '\u200d';
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
}

/** A memory cannot be blank, so white space alone goes with the piece before it, or the one after the first. */
function withoutBlanks(pieces: readonly string[]): string[] {
  const joined: string[] = [];
  let leading = '';
  for (const piece of pieces) {
    if (piece.trim() !== '') {
      joined.push(leading + piece);
      leading = '';
    } else if (joined.length > 0) joined.push(joined.pop() + piece);
    else leading += piece;
  }
  return joined;
}

/** A piece that was there before goes together with what follows it, the last one with what precedes it. */
function withoutRepeats(pieces: readonly string[]): string[] {
  const distinct = new Set<string>();
  let open = '';
  for (const piece of pieces) {
    open += piece;
    if (distinct.has(open)) continue;
    distinct.add(open);
    open = '';
  }
  const contents = [...distinct];
  while (open !== '') {
    open = (contents.pop() ?? '') + open;
    if (contents.includes(open)) continue;
    contents.push(open);
    open = '';
  }
  return contents;
}
