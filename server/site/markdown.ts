import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { Anchors } from './anchors.js';
import { highlight } from './highlight.js';
import { codeBlock, escapeHtml } from './html.js';

/** The part of a page below one heading. */
export interface Section {
  depth: number;
  heading: string;
  anchor: string;
  /** Its content without markup. */
  text: string;
}

export interface Rendered {
  title: string;
  html: string;
  sections: readonly Section[];
}

export type LinkKind = 'link' | 'image';

/** Returns the address, in the built site, of a link's target. */
export type Resolve = (target: string, kind: LinkKind) => string;

/** Renders a page of Markdown. HTML in it is left out: the documents use it only for comments. */
export function renderMarkdown(markdown: string, resolve: Resolve): Rendered {
  const sections: Section[] = [];
  const anchors = new Anchors();
  const marked = new Marked({ gfm: true, renderer: rendererOf(resolve, () => sections) });
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token);
      sections.push({ depth: token.depth as number, heading, anchor: anchors.next(heading), text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (section) section.text = `${section.text} ${plainText(token)}`.replaceAll(/\s+/g, ' ').trim();
  }
  return { title: sections[0]?.heading ?? '', html: marked.parser(tokens), sections };
}

function rendererOf(resolve: Resolve, sections: () => readonly Section[]): RendererObject {
  let headings = 0;
  return {
    heading({ tokens, depth }) {
      const section = sections()[headings++];
      const content = this.parser.parseInline(tokens);
      if (section === undefined || depth === 1) return `<h${depth}>${content}</h${depth}>\n`;
      return headingHtml(depth, section.anchor, content, section.heading);
    },
    code: ({ text, lang }) => codeBlock(text, highlight(text, lang)),
    codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
    html: () => '',
    link({ href, tokens }) {
      return `<a href="${escapeHtml(resolve(href, 'link'))}">${this.parser.parseInline(tokens)}</a>`;
    },
    image: ({ href, text }) => `<img src="${escapeHtml(resolve(href, 'image'))}" alt="${escapeHtml(text)}">`,
    table(token) {
      const cells = (row: Tokens.TableCell[]) => row.map((cell) => this.tablecell(cell)).join('');
      const rows = token.rows.map((row) => `<tr>${cells(row)}</tr>\n`).join('');
      return `<div class="table" tabindex="0"><table>\n<thead><tr>${cells(token.header)}</tr></thead>\n<tbody>\n${rows}</tbody></table></div>\n`;
    },
    tablecell({ tokens, header, align }) {
      const content = this.parser.parseInline(tokens);
      // A header without text would name nothing.
      const tag = header && content !== '' ? 'th' : 'td';
      return `<${tag}${align ? ` align="${align}"` : ''}>${content}</${tag}>`;
    },
  };
}

/** A heading with a link to itself. */
export function headingHtml(depth: number, anchor: string, content: string, name: string): string {
  const link = `<a class="anchor" href="#${anchor}" aria-label="Link to ${escapeHtml(name)}">#</a>`;
  return `<h${depth} id="${anchor}">${content} ${link}</h${depth}>\n`;
}

/** A cell of a table that holds measured values. Nobody searches for one, and they are a good part of the index. */
const MEASURED = /^[\d\s.,%]*\d\.\d[\d\s.,%]*$/;

/** Returns the text of a token without markup. */
function plainText(token: Token): string {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    const cells = [header, ...rows].flat().map(({ tokens }) => join(tokens));
    return cells.filter((cell) => !MEASURED.test(cell)).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => join(tokens, ' ')).join(' ');
  if ('tokens' in token && token.tokens) return join(token.tokens);
  if ('text' in token) return token.text as string;
  return token.raw;
}

function join(tokens: readonly Token[], between = ''): string {
  return tokens.map(plainText).join(between);
}
