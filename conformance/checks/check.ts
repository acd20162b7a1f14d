import type { Capability } from '../world/capability.js';
import type { Target } from '../world/target.js';

/** The severity of a failure. `must`: the specification says it, and a failure fails the run. `should`: the contract decides it where the specification does not, and a failure is a warning.
 */
export type Level = 'must' | 'should';

/** A test of one requirement over HTTP. */
export interface Check {
  /** Permanent: reports, baselines and requirements.yaml refer to it. */
  readonly id: string;
  /** The section of the specification, such as `4.2`. */
  readonly section: string;
  readonly level: Level;
  /** The requirement in one sentence. */
  readonly requirement: string;
  /** The capabilities that the deployment needs for the check to apply. */
  readonly needs?: readonly Capability[];
  /** True if no other check may run meanwhile, because it reads more than its own memories. */
  readonly isAlone?: boolean;
  /**
   * Tests a deployment. Throws an error that describes what it saw if the deployment breaks the requirement.
   *
   * @throws {PrerequisiteError} if a precondition of the check fails
   */
  run(target: Target): Promise<void>;
}

/** The checks of one section. */
export function defineChecks(section: string, checks: readonly Omit<Check, 'section'>[]): readonly Check[] {
  return checks.map((check) => ({ ...check, section }));
}
