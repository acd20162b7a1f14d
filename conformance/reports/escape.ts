const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that XML 1.0 has no way to write: the control characters but tab, line feed and carriage return. */
const UNWRITABLE = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** A text as it stands in XML or HTML, in an attribute or between tags. */
export function escapeMarkup(text: string): string {
  return text.replace(UNWRITABLE, '\uFFFD').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
