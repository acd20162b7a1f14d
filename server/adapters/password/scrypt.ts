import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyOrder } from './derive-key.js';

export interface PasswordCost {
  /** CPU and memory cost, a power of two. A hash uses `1024 * N` bytes. */
  N: number;
  /** Number of passes. */
  p: number;
}

/** The OWASP recommendation for 32 MiB per hash. Several hashes fit into memory at once. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, p: 3 };

const SALT_BYTES = 16;
const SHAPE = /^scrypt\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

export type DeriveKey = (order: KeyOrder) => Promise<Uint8Array>;

/** Returns `scrypt$N$p$salt$key`, with salt and key in base64url. */
export async function hashPassword(password: string, { N, p }: PasswordCost, derive: DeriveKey): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive({ password: normalized(password), salt, N, p });
  return ['scrypt', N, p, salt.toString('base64url'), Buffer.from(key).toString('base64url')].join('$');
}

/**
 * Reports if a password matches a hash. Without a hash it takes equally long, so that the time does not reveal who has
 * an account.
 */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
  cost: PasswordCost,
  derive: DeriveKey,
): Promise<boolean> {
  const [, N, p, salt = '', key = ''] = SHAPE.exec(hash ?? '') ?? [];
  if (N === undefined || p === undefined) {
    await derive({ password: normalized(password), salt: randomBytes(SALT_BYTES), N: cost.N, p: cost.p });
    return false;
  }
  const order = { password: normalized(password), salt: Buffer.from(salt, 'base64url'), N: Number(N), p: Number(p) };
  const derived = await derive(order);
  const expected = Buffer.from(key, 'base64url');
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** Maps equivalent Unicode forms of a password to one form. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
