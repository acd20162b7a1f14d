import type { BulkheadPolicy } from 'cockatiel';
import { UnavailableError } from '../../errors.js';
import type { Passwords } from '../../ports/passwords.js';
import { hashPassword, type PasswordCost, verifyPassword } from './scrypt.js';

/** Each takes a thread that the disk needs too, and 32 MiB. */
const AT_ONCE = 2;
const WAITING = 64;
const RETRY_AFTER_SECONDS = 2;

/** Hashes passwords, few at a time: it is made to be slow, and anybody can ask for it. */
export class ScryptPasswords implements Passwords {
  private turns: BulkheadPolicy | undefined;

  constructor(private readonly cost: PasswordCost) {}

  hash(password: string): Promise<string> {
    return this.inTurn(() => hashPassword(password, this.cost));
  }

  verify(password: string, hash: string | undefined): Promise<boolean> {
    return this.inTurn(() => verifyPassword(password, hash, this.cost));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    // Most processes never see a password.
    const { BulkheadRejectedError, bulkhead } = await import('cockatiel');
    this.turns ??= bulkhead(AT_ONCE, WAITING);
    try {
      return await this.turns.execute(work);
    } catch (error) {
      if (!(error instanceof BulkheadRejectedError)) throw error;
      throw new UnavailableError('Too many sign in at once: try again', RETRY_AFTER_SECONDS, error);
    }
  }
}
