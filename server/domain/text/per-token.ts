import { copyText } from './unicode.js';

/** Longer tokens are data, and do not come again in other texts. */
const MAX_KEPT_LENGTH = 32;
const MAX_KEPT = 10_000;

/**
 * Returns a function that joins the results of `read` for each token. Each distinct token of a text is read once,
 * because long texts repeat words, and most words once for many texts.
 */
export function perToken(read: (token: string) => string): (tokens: readonly string[]) => string {
  const kept = new Map<string, string>();
  const readKept = (token: string) => {
    if (token.length > MAX_KEPT_LENGTH) return read(token);
    if (kept.size >= MAX_KEPT) kept.clear();
    const key = copyText(token);
    const made = copyText(read(key));
    kept.set(key, made);
    return made;
  };
  return (tokens) => {
    // Tokens that are too long to keep, of this text alone.
    let known: Map<string, string> | undefined;
    let joined = '';
    for (const token of tokens) {
      let made = kept.get(token) ?? known?.get(token);
      if (made === undefined) {
        made = readKept(token);
        if (token.length > MAX_KEPT_LENGTH) {
          known ??= new Map();
          known.set(token, made);
        }
      }
      joined += made;
    }
    return joined;
  };
}
