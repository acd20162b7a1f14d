/** Converts Markdown to one line of plain text, without tags, badges, link targets or marks. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->|<\/?[a-z][a-z\d-]*(?:\s[^<>]*)?\/?>/gi, ' ')
    .replace(/!\[[^\]]{0,500}\]\s?(?:\([^)]{0,2000}\)|\[[^\]]{0,500}\])?/g, ' ')
    .replace(/\[([^\]]{1,500})\](?:\([^)]{0,2000}\)|\[[^\]]{0,500}\])/g, '$1')
    .replace(/\[\]\([^)]{0,2000}\)/g, ' ')
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/^\s*(?:`{3,}|~{3,}).*$/gm, ' ')
    .replace(/`|\*\*|\\(?=[\\`*_{}[\]()#+\-.!<>|])/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the sentence or line of a chunk that shares most words with the question, truncated to `width` characters.
 * Headings are the last choice, since they are shown separately.
 */
export function excerpt(markdown: string, question: string, width: number): string {
  const wanted = new Set(words(question));
  let best = '';
  let bestScore = -1;
  for (const passage of passages(markdown)) {
    const shared = new Set(words(passage).filter((word) => wanted.has(word))).size;
    if (shared > bestScore) [best, bestScore] = [passage, shared];
  }
  return truncate(fromFirstMatch(best, wanted, width), width);
}

/** Returns a long passage from shortly before the first word of the question, so that truncation does not hide it. */
function fromFirstMatch(passage: string, wanted: ReadonlySet<string>, width: number): string {
  const match = [...passage.matchAll(WORD)].find(([word]) => wanted.has(stem(word)));
  if (!match || match.index + match[0].length < width) return passage;
  const start = passage.indexOf(' ', match.index - Math.floor(width / 3)) + 1;
  return `… ${passage.slice(Math.min(start, match.index))}`;
}

/** Truncates a text to at most `width` characters, and marks the end. */
export function truncate(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width
    ? text
    : `${characters
        .slice(0, width - 1)
        .join('')
        .trimEnd()}…`;
}

const MIN_PASSAGE = 20;
const CODE_OR_TABLE = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))|^\s*\|.*$/gm;
const HEADING = /^ {0,3}#{1,6}[ \t].*$|^.+\n {0,3}(?:={2,}|-{2,})[ \t]*$/gm;

/** Returns the prose, or everything if there is none. */
function passages(markdown: string): string[] {
  const prose = sentences(markdown.replace(CODE_OR_TABLE, ' '));
  const found = prose.length > 0 ? prose : sentences(markdown);
  return found.length > 0 ? found : [plainText(markdown)];
}

function sentences(markdown: string): string[] {
  return markdown
    .replace(HEADING, '')
    .split(/\n\s*\n|\n(?=\s*[-*+] )/)
    .flatMap((paragraph) => plainText(paragraph).split(/(?<=[.!?])\s+(?=\p{Lu})/u))
    .filter((sentence) => sentence.length >= MIN_PASSAGE);
}

const WORD = /[\p{L}\p{N}]{3,}/gu;

function words(text: string): string[] {
  return (text.match(WORD) ?? []).map(stem);
}

/** Reduces a word to a stem, so that "validating" matches "validate". */
function stem(word: string): string {
  return word.toLowerCase().slice(0, 5);
}
