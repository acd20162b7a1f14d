const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for the content of an element, or for a value in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/** A block of code, which scrolls if it is wide. A script adds the button that copies it. */
export function codeBlock(code: string, markup = escapeHtml(code)): string {
  return `<div class="code"><pre tabindex="0"><code>${markup}</code></pre></div>\n`;
}

/** Leaves out the end tags that HTML makes optional, since many pages are mostly tables and lists. */
export function withoutOptionalEnds(html: string): string {
  // Code is escaped, so it contains no tags.
  return html.replaceAll(/<\/(?:li|td|th|tr|thead|tbody)>/g, '');
}
