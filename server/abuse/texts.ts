export const MAX_CHARACTERS = 100_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Repeats a piece up to the maximum content length. */
export function repeated(piece: string, length = MAX_CHARACTERS): string {
  const characters = Array.from(piece);
  return (
    piece.repeat(Math.floor(length / characters.length)) + characters.slice(0, length % characters.length).join('')
  );
}

/** Returns invented words, all different. The number of the first one is `from`. */
export function distinctWords(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => `w${inLetters(from + n)}`);
}

/** Returns a content of the maximum length, whose words differ from those of every other `n`. */
export function largeContent(n: number): string {
  return distinctWords(MAX_CHARACTERS / 5, n * MAX_CHARACTERS)
    .join(' ')
    .slice(0, MAX_CHARACTERS);
}

function inLetters(n: number): string {
  const rest = Math.floor(n / LETTERS.length);
  return (rest > 0 ? inLetters(rest) : '') + (LETTERS[n % LETTERS.length] ?? '');
}
