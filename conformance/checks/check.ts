import type { Capability } from '../world/capability.js';
import type { Target } from '../world/target.js';

/**
 * How much a failure weighs. `must` is what the specification says and fails the run; `should` is what it leaves
 * open and the contract of this suite decides, and is reported as a warning.
 */
export type Level = 'must' | 'should';

/** One requirement that can be seen from outside, and how it is looked at. */
export interface Check {
  /** Permanent: reports, baselines and requirements.yaml refer to it. */
  readonly id: string;
  /** The part of the specification that it belongs to, such as `4.2`. */
  readonly section: string;
  readonly level: Level;
  /** The requirement in one sentence. */
  readonly requirement: string;
  /** What the deployment must offer for the check to apply. */
  readonly needs?: readonly Capability[];
  /** Whether other checks disturb it, so that none may run meanwhile: it looks at more than its own memories. */
  readonly isAlone?: boolean;
  /**
   * Looks at a deployment and throws when it breaks the requirement, telling what was seen.
   *
   * @throws {PrerequisiteError} when it could not come as far as looking
   */
  run(target: Target): Promise<void>;
}

/** The checks of one section. */
export function defineChecks(section: string, checks: readonly Omit<Check, 'section'>[]): readonly Check[] {
  return checks.map((check) => ({ ...check, section }));
}
