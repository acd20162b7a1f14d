import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyOrder } from './derive-key.js';

export interface PasswordCost {
  /** CPU and memory: a power of two. A hash takes `1024 * N` bytes. */
  N: number;
  /** How many times over. */
  p: number;
}

/** As OWASP has it for 32 MiB a hash: strong, and several fit beside the memories. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, p: 3 };

const SALT_BYTES = 16;
const SHAPE = /^scrypt\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

export type DeriveKey = (order: KeyOrder) => Promise<Uint8Array>;

/** `scrypt$N$p$salt$key`, the last two in base64url. */
export async function hashPassword(password: string, { N, p }: PasswordCost, derive: DeriveKey): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive({ password: normalized(password), salt, N, p });
  return ['scrypt', N, p, salt.toString('base64url'), Buffer.from(key).toString('base64url')].join('$');
}

/**
 * Whether a password is the one that was hashed. Where there is no hash, as
 * long is taken to say no, so that the time does not tell who has an account.
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

/** Two ways to type the same characters are one password. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
