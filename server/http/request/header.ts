/** Returns the text of a header. Repeated headers are joined: the result is then no value that anything accepts. */
export function asOne(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
