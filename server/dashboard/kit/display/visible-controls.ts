export interface VisibleControl {
  symbol: string;
  /** Such as U+202E. */
  name: string;
}

/**
 * Control characters, those that change the direction of text, and those without width. A tab, a line break and the
 * joiners of emoji and scripts are ordinary text.
 */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
/** First of the characters that depict the controls of ASCII. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';

/** Splits a text into its plain parts and its control characters, each with a symbol for it. */
export function splitControls(text: string): (string | VisibleControl)[] {
  const parts: (string | VisibleControl)[] = [];
  let end = 0;
  for (const { 0: control, index } of text.matchAll(CONTROL)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push(visible(control));
    end = index + control.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function visible(control: string): VisibleControl {
  const code = control.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code < 0x20) return { symbol: String.fromCodePoint(PICTURES + code), name };
  return { symbol: code === 0x7f ? PICTURE_OF_DELETE : `[${name}]`, name };
}
