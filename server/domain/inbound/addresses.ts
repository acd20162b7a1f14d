/** `Signed-off-by: …`, `Co-authored-by: …`, `Cc: …` and similar lines. */
const TRAILER = /^(?:cc|from|author|[a-z][a-z0-9-]*-(?:by|to|cc)):/i;
const BRACKETED = / ?<[^<>\s]*>/g;

/**
 * Removes the e-mail addresses that software adds: those in angle brackets and in the trailers of commit messages. The
 * content scan detects addresses that a person wrote into a sentence.
 */
export function withoutAddresses(text: string): string {
  return text.split('\n').map(withoutAddress).join('\n');
}

function withoutAddress(line: string): string {
  if (!line.includes('@')) return line;
  const bare = line.replace(BRACKETED, (found) => (found.includes('@') ? '' : found));
  if (!TRAILER.test(bare)) return bare;
  return bare
    .split(' ')
    .filter((word) => !word.includes('@'))
    .join(' ');
}
