/** Bytes of a response that are kept. */
export const MAX_ANSWER_BYTES = 1_000;

/** Characters that a terminal or a page could act on, except line feeds and tabs. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Returns the first bytes of a response as text. Whatever is no text, and each control character, becomes U+FFFD. */
export function answerExcerpt(bytes: Uint8Array): string | undefined {
  // In a stream, the decoder keeps back a character that the cut has split.
  const isCut = bytes.length >= MAX_ANSWER_BYTES;
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_ANSWER_BYTES), { stream: isCut });
  return text === '' ? undefined : text.replaceAll('\r\n', '\n').replace(UNSAFE, '\uFFFD');
}
