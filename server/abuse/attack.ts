import type { BenchClient } from '../bench/client.js';
import type { Attacker } from './attacker.js';

/** What one caller does to the others, within what the service takes from everybody. */
export interface Attack {
  name: string;
  /** One line of what it does. */
  about: string;
  /** Organizations that it needs; 1 unless given. */
  tenants?: number;
  /** Stores what the attack is about, before it and without rate limits. */
  prepare?(clients: readonly BenchClient[], isShort: boolean): Promise<void>;
  /** Runs until the time is over, or ends earlier. */
  run(attacker: Attacker): Promise<void>;
}
