import { CAPABILITIES, type Capability } from '../world/capability.js';
import { countByStatus, type Outcome } from './outcome.js';

/** A capability of which a run saw nothing, or less than it could not look at. */
export interface Unseen {
  readonly capability: Capability;
  /** What it stands for. */
  readonly meaning: string;
  /** How many checks need it. */
  readonly checks: number;
}

/** What a deployment seems to lack though nobody said so, what most checks need first. */
export function findUnseen(outcomes: readonly Outcome[]): Unseen[] {
  const names = Object.keys(CAPABILITIES) as Capability[];
  return names
    .flatMap((capability) => {
      const needing = outcomes.filter(({ needs = [], status }) => needs.includes(capability) && status !== 'skipped');
      const { pass, error } = countByStatus(needing);
      if (needing.length === 0 || (pass > 0 && pass >= error)) return [];
      return [{ capability, meaning: CAPABILITIES[capability], checks: needing.length }];
    })
    .sort((one, other) => other.checks - one.checks);
}
