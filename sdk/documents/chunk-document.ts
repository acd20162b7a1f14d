export interface ChunkOptions {
  /** Your own id of the document, the same for all its revisions. */
  documentId: string;
  /** Maximum length of a chunk in UTF-16 code units. Default: 2,000. */
  maxLength?: number | undefined;
}

/** A chunk of a document in the form of an item to ingest. */
export interface DocumentChunk {
  content: string;
  metadata: { documentId: string; chunkIndex: number; chunkTotal: number };
}

const DEFAULT_MAX_LENGTH = 2_000;
/** Ends of paragraphs, lines, sentences and words, in order of preference. */
const BREAKS = [/\n[^\S\n]*\n/g, /\n/g, /[.!?。！？]["'”’)\]]*\s/g, /\s/g];
/** Marks and joiners, which belong to the character before them. */
const CONTINUES = /^(?:\p{M}|\u200d)/u;
const MAX_CHARACTER_LENGTH = 32;

/**
 * Splits a document into chunks with the metadata that the service expects. The joined contents are the document in NFC.
 *
 * Splits between paragraphs if possible, otherwise between lines, sentences or words. A chunk exceeds `maxLength` only by
 * white space at its end, or if it would otherwise equal an earlier chunk, which the service would not store twice.
 *
 * @throws {TypeError} if the document is blank or `maxLength` is below 1
 * @example const items = chunkDocument(text, { documentId: 'handbook', maxLength: 1_000 });
 */
export function chunkDocument(
  text: string,
  { documentId, maxLength = DEFAULT_MAX_LENGTH }: ChunkOptions,
): DocumentChunk[] {
  if (!(maxLength >= 1)) throw new TypeError('maxLength must be at least 1');
  if (text.trim() === '') throw new TypeError('text must not be blank');

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
    const end = start + lengthOfPiece(text.slice(start, start + maxLength + MAX_CHARACTER_LENGTH), maxLength);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return [...pieces, text.slice(start)];
}

/** @param ahead the rest of the document, at least `maxLength` plus one character */
function lengthOfPiece(ahead: string, maxLength: number): number {
  const head = ahead.slice(0, maxLength);
  for (const pattern of BREAKS) {
    const last = [...head.matchAll(pattern)].at(-1);
    const end = last ? last.index + last[0].length : 0;
    if (end * 2 > maxLength) return end;
  }
  return betweenCharacters(ahead, maxLength);
}

/** Returns the last position up to `at` that does not split a character from its marks, or `at` if there is none. */
function betweenCharacters(text: string, at: number): number {
  for (let end = at; end > Math.max(0, at - MAX_CHARACTER_LENGTH); end -= 1) {
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

/** Joins blank pieces to the piece before them, or after them at the start: a memory cannot be blank. */
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

/** Joins a repeated piece to the next one, or the last one to the piece before it. */
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
