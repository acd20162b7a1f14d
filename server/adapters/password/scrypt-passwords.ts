import { sharedResource } from '../../domain/fairness/bounds.js';
import type { Owner } from '../../domain/fairness/owner.js';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { Passwords } from '../../ports/passwords.js';
import { type DeriveKey, hashPassword, type PasswordCost, verifyPassword } from './scrypt.js';

/** Hashes passwords, a few at a time, since hashing is slow on purpose and anybody can request it. */
export class ScryptPasswords implements Passwords {
  readonly turns: SharedResource = sharedResource('passwords');

  /** @param derive runs in its own threads, so that writes and files never wait for a password */
  constructor(
    private readonly cost: PasswordCost,
    private readonly derive: DeriveKey,
  ) {}

  async hash(password: string, asker: Owner): Promise<string> {
    using _ = await this.turns.wait([asker]);
    return await hashPassword(password, this.cost, this.derive);
  }

  async verify(password: string, hash: string | undefined, asker: Owner): Promise<boolean> {
    using _ = await this.turns.wait([asker]);
    return await verifyPassword(password, hash, this.cost, this.derive);
  }
}
