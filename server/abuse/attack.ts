import type { BenchClient } from '../bench/client.js';
import type { Attacker } from './attacker.js';

/** An attack of one caller on others that uses only what the service offers to everybody. */
export interface Attack {
  name: string;
  /** Describes the attack in one line. */
  about: string;
  /** The number of organizations that it needs; 1 by default. */
  tenants?: number;
  /** Stores data for the attack, before it and without rate limits. */
  prepare?(clients: readonly BenchClient[], isShort: boolean): Promise<void>;
  /** Runs until the time is over, or ends earlier. */
  run(attacker: Attacker): Promise<void>;
}
