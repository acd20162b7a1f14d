import type { Level } from '../checks/check.js';
import type { Capability } from '../world/capability.js';

/**
 * `warning` is a failed SHOULD, `known` a failure that the baseline lists, `error` a check that could not look,
 * and `skipped` one that does not apply to what the operator declared.
 */
export type Status = 'pass' | 'fail' | 'warning' | 'known' | 'error' | 'skipped';

/** What became of one check. */
export interface Outcome {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly requirement: string;
  /** What the deployment must offer for it to apply. */
  readonly needs?: readonly Capability[];
  readonly status: Status;
  /** Why it did not pass. */
  readonly message?: string;
  readonly durationMs: number;
}

/** A whole run, as the reports show it. */
export interface Run {
  readonly baseUrl: string;
  readonly contractVersion: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcomes: readonly Outcome[];
  /** Baseline entries that did not fail. */
  readonly stale: readonly string[];
  /** Faults of the suite itself, such as what could not be cleaned up. */
  readonly troubles: readonly string[];
  readonly coverage: Coverage;
}

/** Which of the contract's answers the deployment gave during the run. */
export interface Coverage {
  readonly operations: readonly {
    readonly operationId: string;
    readonly seen: readonly number[];
    readonly unseen: readonly number[];
  }[];
  readonly seen: number;
  readonly documented: number;
}

/** How many outcomes have each status. */
export function countByStatus(outcomes: readonly Outcome[]): Record<Status, number> {
  const counts: Record<Status, number> = { pass: 0, fail: 0, warning: 0, known: 0, error: 0, skipped: 0 };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

/** Whether the deployment conforms: no new failure, no check that could not look, no entry of the baseline gone stale. */
export function isConforming({ outcomes, stale, troubles }: Omit<Run, 'coverage'>): boolean {
  const { fail, error } = countByStatus(outcomes);
  return fail === 0 && error === 0 && stale.length === 0 && troubles.length === 0;
}
