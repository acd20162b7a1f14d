import type { Outcome } from './outcome.js';

/** A line of a baseline: the id of a check that is known to fail, and after `#` why. */
export function parseBaseline(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').replace(/^\s*-/, '').trim())
    .filter((line) => line !== '');
}

/** Returns the outcome, as `known` if the baseline lists the failure. */
export function asKnown(outcome: Outcome, known: readonly string[]): Outcome {
  return isFailure(outcome) && known.includes(outcome.id) ? { ...outcome, status: 'known' } : outcome;
}

/**
 * Tells known failures from new ones.
 *
 * @param known ids of the baseline
 * @param existing ids of every check, whether it ran or not
 * @returns the outcomes, and the entries that are stale: they passed, or name no check
 */
export function applyBaseline(
  outcomes: readonly Outcome[],
  known: readonly string[],
  existing: ReadonlySet<string>,
): { outcomes: Outcome[]; stale: string[] } {
  const passing = new Set(outcomes.filter(({ status }) => status === 'pass').map(({ id }) => id));
  return {
    outcomes: outcomes.map((outcome) => asKnown(outcome, known)),
    stale: known.filter((id) => passing.has(id) || !existing.has(id)),
  };
}

function isFailure({ status }: Outcome): boolean {
  return status === 'fail' || status === 'error' || status === 'warning';
}
