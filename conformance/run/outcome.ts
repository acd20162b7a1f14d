import type { Level } from '../checks/check.js';
import type { Capability } from '../world/capability.js';

/**
 * `warning` is a failed SHOULD, `known` is a failure that the baseline lists, `error` is a check that could not be
 * completed, `unchecked` is a check whose capability is missing, and `skipped` is one whose capability the operator has
 * declared as missing.
 */
export type Status = 'pass' | 'fail' | 'warning' | 'known' | 'error' | 'unchecked' | 'skipped';

/** The result of one check. */
export interface Outcome {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly requirement: string;
  /** The capabilities that it needs. */
  readonly needs?: readonly Capability[];
  readonly status: Status;
  /** The reason why it did not pass. */
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

/** The answers of the contract that the deployment gave during the run. */
export interface Coverage {
  readonly operations: readonly {
    readonly operationId: string;
    readonly seen: readonly number[];
    readonly unseen: readonly number[];
  }[];
  readonly seen: number;
  readonly documented: number;
}

/** Counts the outcomes by status. */
export function countByStatus(outcomes: readonly Outcome[]): Record<Status, number> {
  const counts: Record<Status, number> = {
    pass: 0,
    fail: 0,
    warning: 0,
    known: 0,
    error: 0,
    unchecked: 0,
    skipped: 0,
  };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

/** Reports if the deployment conforms: no new failure, no check with an error, no stale entry of the baseline. */
export function isConforming({ outcomes, stale, troubles }: Omit<Run, 'coverage'>): boolean {
  const { fail, error } = countByStatus(outcomes);
  return fail === 0 && error === 0 && stale.length === 0 && troubles.length === 0;
}
