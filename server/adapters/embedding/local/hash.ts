const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const GOLDEN_RATIO = 0x9e3779b9;

/** A 32-bit hash of the UTF-16 code units of a text or of a part of it. Salts keep kinds of features apart. */
export function hashText(text: string, salt: number, start = 0, end = text.length): number {
  let hash = FNV_OFFSET ^ salt;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return scramble(hash);
}

/** A hash of two hashes in their order. */
export function mixHashes(first: number, second: number, salt: number): number {
  return scramble(Math.imul(first, FNV_PRIME) ^ (second + salt));
}

/** The hash that follows in the sequence of a feature. */
export function nextHash(hash: number): number {
  return scramble((hash + GOLDEN_RATIO) | 0);
}

/** Returns the index of a hash in a table of `size` entries. */
export function placeOf(hash: number, size: number): number {
  return Math.floor(((hash >>> 0) * size) / 0x1_0000_0000);
}

/** A fair sign, independent of the place: places come from the high bits, the sign from the lowest. */
export function signOf(hash: number): 1 | -1 {
  return hash & 1 ? 1 : -1;
}

/** Murmur3's finalizer: every bit of the input reaches every bit of the result. */
function scramble(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
