const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Returns a number of bytes in words, such as "1.23 MB". */
export function bytes(count: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return `${Number((count / 1_000 ** power).toPrecision(3))} ${UNITS[power]}`;
}
