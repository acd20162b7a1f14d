/** Markdown reduced to what a reader sees on one line: no tags, badges, link targets or marks. */
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
 * The sentence or line of a chunk that shares most words with the question,
 * cut to `width` characters. Headings come last: they are shown by themselves.
 */
export function excerpt(markdown: string, question: string, width: number): string {
  const wanted = new Set(words(question));
  let best = '';
  let bestScore = -1;
  for (const passage of passages(markdown)) {
    const shared = new Set(words(passage).filter((word) => wanted.has(word))).size;
    if (shared > bestScore) [best, bestScore] = [passage, shared];
  }
  return truncate(best, width);
}

/** `text` in at most `width` characters, the cut marked. */
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

function passages(markdown: string): string[] {
  const paragraphs = markdown.split(/\n\s*\n/).filter((paragraph) => !/^\s{0,3}#{1,6}\s[^\n]*$/.test(paragraph.trim()));
  const found = paragraphs
    .flatMap((paragraph) => plainText(paragraph.replace(/^\s{0,3}#{1,6}\s.*$/m, '')).split(/(?<=[.!?])\s+(?=\p{Lu})/u))
    .filter((passage) => passage.length >= MIN_PASSAGE);
  return found.length > 0 ? found : [plainText(markdown)];
}

/** Lower-case stems of five letters: enough to see "validating" in "validate". */
function words(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.slice(0, 5));
}
