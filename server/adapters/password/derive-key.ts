import { scryptSync } from 'node:crypto';

/** A key derivation as a worker thread receives it. */
export interface KeyOrder {
  password: string;
  salt: Uint8Array;
  /** See `PasswordCost`. */
  N: number;
  p: number;
}

const BLOCK_SIZE = 8;
const KEY_BYTES = 32;

export function deriveKey({ password, salt, N, p }: KeyOrder): Uint8Array {
  return scryptSync(password, salt, KEY_BYTES, { N, p, r: BLOCK_SIZE, maxmem: 256 * BLOCK_SIZE * (N + p + 2) });
}
