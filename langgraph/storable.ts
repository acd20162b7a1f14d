const UNSTORABLE = /\0|\p{M}{31}/u;
const EXCESS_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Reports if the service stores a text: without U+0000, half characters, and more than 30 combining marks in a row. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !UNSTORABLE.test(text);
}

/** Replaces and removes what the service would reject. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ').replaceAll(EXCESS_MARKS, '$1');
}
