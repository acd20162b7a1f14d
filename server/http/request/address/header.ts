/** Returns the value of a header. Joins repeated headers, so that the result matches no valid value. */
export function asOne(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
