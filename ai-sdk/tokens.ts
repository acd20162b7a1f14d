/** Bytes of UTF-8 in a token. English has about 4, so that this counts too many rather than too few. */
const BYTES_PER_TOKEN = 3;
const ELLIPSIS = '…';
const ELLIPSIS_BYTES = 3;

const encoder = new TextEncoder();

/** Estimates the tokens of a text in any script. */
export function tokensOf(text: string): number {
  return Math.ceil(encoder.encode(text).length / BYTES_PER_TOKEN);
}

/** Cuts a text to at most `maxTokens` estimated tokens, without splitting a character. */
export function cut(text: string, maxTokens: number): string {
  if (tokensOf(text) <= maxTokens) return text;
  const room = new Uint8Array(Math.max(0, Math.floor(maxTokens) * BYTES_PER_TOKEN - ELLIPSIS_BYTES));
  const { read } = encoder.encodeInto(text, room);
  return read === 0 ? '' : `${text.slice(0, read)}${ELLIPSIS}`;
}
