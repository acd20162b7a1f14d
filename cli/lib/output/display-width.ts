/** Code points that fill two columns of a terminal: the East Asian wide and full-width ones, and most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;
const ELLIPSIS = '…';

const segmenter = new Intl.Segmenter('en');

/** Returns how many columns a text of one line fills on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfCharacter(segment);
  return width;
}

/** Truncates a text of one line to at most `most` columns, with an ellipsis at its end. Splits no character. */
export function truncate(text: string, most: number): string {
  if (text.length <= most && ASCII.test(text)) return text;
  let width = 0;
  let end = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    if (width + ELLIPSIS.length <= most) end = index;
    width += widthOfCharacter(segment);
    if (width > most) return `${text.slice(0, end)}${ELLIPSIS}`;
  }
  return text;
}

function widthOfCharacter(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
