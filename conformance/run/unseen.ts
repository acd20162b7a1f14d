import { CAPABILITIES, type Capability } from '../world/capability.js';
import { countByStatus, type Outcome } from './outcome.js';

/** A capability that the deployment seems to lack. */
export interface Unseen {
  readonly capability: Capability;
  /** A description of the capability. */
  readonly meaning: string;
  /** The number of checks that need it. */
  readonly checks: number;
}

/**
 * Returns the capabilities that a deployment seems to lack without declaring it, by the number of checks that need
 * them.
 */
export function findUnseen(outcomes: readonly Outcome[]): Unseen[] {
  const names = Object.keys(CAPABILITIES) as Capability[];
  return names
    .flatMap((capability) => {
      const needing = outcomes.filter(({ needs = [], status }) => needs.includes(capability) && status !== 'skipped');
      const { pass, error, unchecked } = countByStatus(needing);
      if (needing.length === 0 || (pass > 0 && pass >= error + unchecked)) return [];
      return [{ capability, meaning: CAPABILITIES[capability], checks: needing.length }];
    })
    .sort((one, other) => other.checks - one.checks);
}
