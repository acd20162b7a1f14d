import { TokenEstimate } from './token-estimate.js';

const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_LOW_SURROGATE = 0xdfff;

/** Cuts a text into pieces of at most `maxTokens` by estimate, after white space if some is near. */
export function cutText(text: string, maxTokens: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = breakBefore(text, start, endOfPiece(text, start, maxTokens));
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces.length > 0 ? pieces : [text];
}

function endOfPiece(text: string, start: number, maxTokens: number): number {
  const estimate = new TokenEstimate();
  for (let index = start; index < text.length; index++) {
    estimate.add(text.charCodeAt(index));
    if (estimate.tokens > maxTokens) return Math.max(index, start + 1);
  }
  return text.length;
}

/** Looks back for white space through the last tenth of the piece; else cuts between characters. */
function breakBefore(text: string, start: number, end: number): number {
  if (end === text.length) return end;
  const earliest = end - Math.floor((end - start) / 10);
  for (let index = end; index > earliest; index--) {
    if (/\s/.test(text.charAt(index - 1))) return index;
  }
  const code = text.charCodeAt(end);
  const splitsPair = code >= FIRST_LOW_SURROGATE && code <= LAST_LOW_SURROGATE;
  return splitsPair && end - 1 > start ? end - 1 : end;
}
