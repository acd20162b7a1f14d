import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

export interface PasswordCost {
  /** CPU and memory: a power of two. A hash takes `1024 * N` bytes. */
  N: number;
  /** How many times over. */
  p: number;
}

/** As OWASP has it for 32 MiB a hash: strong, and several fit beside the memories. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, p: 3 };

const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const SHAPE = /^scrypt\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

/** `scrypt$N$p$salt$key`, the last two in base64url. */
export async function hashPassword(password: string, { N, p }: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, { N, p });
  return ['scrypt', N, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Whether a password is the one that was hashed. Where there is no hash, as
 * long is taken to say no, so that the time does not tell who has an account.
 */
export async function verifyPassword(password: string, hash: string | undefined, cost: PasswordCost): Promise<boolean> {
  const [, N, p, salt = '', key = ''] = SHAPE.exec(hash ?? '') ?? [];
  if (N === undefined || p === undefined) {
    await derive(password, randomBytes(SALT_BYTES), cost);
    return false;
  }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), p: Number(p) });
  const expected = Buffer.from(key, 'base64url');
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

function derive(password: string, salt: Buffer, { N, p }: PasswordCost): Promise<Buffer> {
  const options: ScryptOptions = { N, p, r: BLOCK_SIZE, maxmem: 256 * BLOCK_SIZE * (N + p + 2) };
  return new Promise((resolve, reject) => {
    // Two ways to type the same characters are one password.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
