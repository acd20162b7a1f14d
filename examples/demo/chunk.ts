import { plainText } from './plain-text.js';

export interface Chunk {
  /** The heading above the start of the chunk, or the first one in it. Empty if there is none. */
  heading: string;
  text: string;
}

const MAX_LENGTH = 1_200;
/** A chunk of at least this length ends before a new section. */
const ENOUGH = 500;

/**
 * Splits Markdown into chunks of at most 1,200 UTF-16 code units: between sections and paragraphs if possible, otherwise
 * between lines or words. The joined chunks are the text.
 */
export function cutIntoChunks(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: Chunk | undefined;
  let inherited = '';
  for (const block of splitBlocks(text).flatMap(splitLong)) {
    const starts = !chunk || chunk.text.length + block.text.length > MAX_LENGTH;
    if (chunk && !starts && !(block.heading !== undefined && chunk.text.length >= ENOUGH)) {
      chunk.text += block.text;
      if (chunk.heading === '') chunk.heading = block.heading ?? '';
    } else {
      chunk = { heading: block.heading ?? inherited, text: block.text };
      chunks.push(chunk);
    }
    inherited = block.heading ?? inherited;
  }
  return joinBlank(chunks);
}

/** A paragraph, list, fence or table, with the headings above it. */
interface Block {
  heading?: string;
  text: string;
}

function splitBlocks(text: string): Block[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const blocks: Block[] = [];
  let block: Block = { text: '' };
  let hasBody = false;
  let afterBlank = false;
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const heading = fence === '' ? readHeading(line, lines[index + 1]) : undefined;
    if (hasBody && fence === '' && (heading !== undefined || (afterBlank && line.trim() !== ''))) {
      blocks.push(block);
      block = { text: '' };
      hasBody = false;
    }
    block.text += line;
    if (heading !== undefined) block.heading = heading;
    else if (line.trim() !== '' && !UNDERLINE.test(line)) hasBody = true;
    fence = nextFence(fence, line);
    afterBlank = line.trim() === '';
  }
  return block.text === '' ? blocks : [...blocks, block];
}

const ATX_HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/s;
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})[ \t]*\r?\n?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const NOT_A_TITLE = /^\s*(?:[-*+>|]|\d+\.\s|$)/;

function readHeading(line: string, next: string | undefined): string | undefined {
  const atx = ATX_HEADING.exec(line);
  if (atx) return plainText((atx[1] ?? '').replace(/[ \t]+#+\s*$/, ''));
  const isUnderlined = next !== undefined && UNDERLINE.test(next) && !NOT_A_TITLE.test(line) && !UNDERLINE.test(line);
  return isUnderlined ? plainText(line) : undefined;
}

/** Returns the mark that closes the code block of the next line. Empty outside of code blocks. */
function nextFence(open: string, line: string): string {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === '') return mark;
  return mark.startsWith(open) && line.trim() === mark ? '' : open;
}

function splitLong(block: Block): Block[] {
  const pieces: Block[] = [];
  let rest = block.text;
  while (rest.length > MAX_LENGTH) {
    const at = lastBreak(rest);
    pieces.push({ text: rest.slice(0, at) });
    rest = rest.slice(at);
  }
  pieces.push({ text: rest });
  const [first] = pieces;
  if (first && block.heading !== undefined) first.heading = block.heading;
  return pieces;
}

/** Returns where to split a text: after a line if possible, otherwise after a word, or between two characters. */
function lastBreak(text: string): number {
  const head = text.slice(0, MAX_LENGTH);
  const line = head.lastIndexOf('\n') + 1;
  if (line > ENOUGH) return line;
  const word = head.lastIndexOf(' ') + 1;
  if (word > ENOUGH) return word;
  const isInsidePair = /[\ud800-\udbff]/.test(head.charAt(MAX_LENGTH - 1));
  return isInsidePair ? MAX_LENGTH - 1 : MAX_LENGTH;
}

/** Joins blank chunks to the chunk before them, or after them at the start: a memory cannot be blank. */
function joinBlank(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = [];
  let leading = '';
  for (const { heading, text } of chunks) {
    const last = joined.at(-1);
    if (text.trim() !== '') {
      joined.push({ heading, text: leading + text });
      leading = '';
    } else if (last) last.text += text;
    else leading += text;
  }
  return joined;
}
