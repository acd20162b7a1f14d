interface Span {
  kind: 'plain' | 'bold' | 'code';
  text: string;
}

const SPAN = /\*\*([^*]+)\*\*|`([^`]+)`/g;

/** Reads the Markdown that openapi.yaml uses: paragraphs with bold text and code. Everything else is plain text. */
export function blocksOf(markdown: string): Span[][] {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map((block) => spansOf(block.replaceAll('\n', ' ')));
}

function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const { 0: whole, 1: bold, 2: code, index } of text.matchAll(SPAN)) {
    if (index > end) spans.push({ kind: 'plain', text: text.slice(end, index) });
    spans.push(bold === undefined ? { kind: 'code', text: code ?? '' } : { kind: 'bold', text: bold });
    end = index + whole.length;
  }
  if (end < text.length) spans.push({ kind: 'plain', text: text.slice(end) });
  return spans;
}
