import { beginning } from '../shorten.js';

/** Estimated tokens of a UTF-16 code unit: of ASCII, of other alphabets, and of everything else, such as Chinese. */
const PER_ASCII = 1 / 4;
const PER_LETTER = 1 / 2;
const PER_OTHER = 1;

const LAST_ASCII = 0x7f;
const LAST_LETTER = 0x7ff;

/** Estimates the tokens of a text, since every model counts otherwise. English text has about that many. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    tokens += unit <= LAST_ASCII ? PER_ASCII : unit <= LAST_LETTER ? PER_LETTER : PER_OTHER;
  }
  return Math.ceil(tokens);
}

/** Returns as much of a text as fits, ended by `…` if it is cut. */
export function cutToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  let [fits, tooLong] = [0, text.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (estimateTokens(`${text.slice(0, middle)}…`) <= tokens) fits = middle;
    else tooLong = middle;
  }
  return `${beginning(text, fits)}…`;
}
