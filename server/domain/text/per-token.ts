/** Joins the results of `read` for each token. Reads each distinct token once, because long texts repeat words. */
export function joinPerToken(tokens: readonly string[], read: (token: string) => string): string {
  const known = new Map<string, string>();
  let joined = '';
  for (const token of tokens) {
    let made = known.get(token);
    if (made === undefined) {
      made = read(token);
      known.set(token, made);
    }
    joined += made;
  }
  return joined;
}
