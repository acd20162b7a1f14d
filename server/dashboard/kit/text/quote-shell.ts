/** Quotes a text for a POSIX shell. Words without special characters stay as they are. */
export function quoteShell(text: string): string {
  return /^[\w.:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
