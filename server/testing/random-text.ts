const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Alphabets by the letter that a template names them with. */
const ALPHABETS: Readonly<Record<string, string>> = {
  d: DIGITS,
  x: `${DIGITS}abcdef`,
  a: DIGITS + LOWER + UPPER,
  u: DIGITS + UPPER,
  w: `${DIGITS}${LOWER}${UPPER}_`,
  b: `${DIGITS}${LOWER}${UPPER}_-`,
  s: `${DIGITS}${LOWER}${UPPER}+/`,
  l: LOWER,
  q: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
};

/** A source of numbers in [0, 1) that gives the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Fills a template with random characters: `ghp_{a36}` is the prefix and 36
 * letters and digits.
 */
export function fillTemplate(template: string, random: () => number): string {
  return template.replace(/\{([a-z])(\d+)\}/g, (_, alphabet: string, length: string) => {
    const characters = ALPHABETS[alphabet] ?? '';
    return Array.from({ length: Number(length) }, () => characters[Math.floor(random() * characters.length)]).join('');
  });
}

export function pick<T>(from: readonly T[], random: () => number): T {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined) throw new Error('there is nothing to pick from');
  return picked;
}
