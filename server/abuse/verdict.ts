import type { Sample } from './bystander.js';
import type { Gauged } from './gauges.js';

const MEBIBYTE = 1_048_576;
const MAX_BYTES = 1_024 * MEBIBYTE;
/** Long enough that no slow or busy machine explains it. */
const MAX_WAIT_MS = 10_000;

/** All results of one attack. */
export interface Outcome {
  name: string;
  quiet: readonly Sample[];
  attacked: readonly Sample[];
  gauged: Gauged;
  /** The exit code or signal of a server that ended. */
  ended: number | string | undefined;
  faults: readonly string[];
  /** Why the attack did not take place; empty if it did. */
  missed: readonly string[];
  notes: readonly string[];
  /** The answers to the attack, by status. */
  answers: string;
  slowestMs: number;
}

/** Returns the reasons to fail a run on any machine. The figures themselves depend on the machine. */
export function failures({ name, attacked, gauged, ended, faults, missed }: Outcome): string[] {
  const refused = attacked.filter(isRefused);
  const late = attacked.filter(({ ms }) => ms > MAX_WAIT_MS);
  const peak = gauged.peak ?? 0;
  const found = [
    ended !== undefined && `the server ended with ${ended}`,
    refused.length > 0 && `requests of the bystander were rejected: ${refused.map(shown).join(', ')}`,
    late.length > 0 && `the bystander waited: ${late.map(shown).join(', ')}`,
    peak > MAX_BYTES && `the server used ${Math.round(peak / MEBIBYTE)} MB`,
    ...missed.map((text) => `the attack did not take place: ${text}`),
    ...faults,
  ];
  return found.filter((text) => text !== false).map((text) => `${name}: ${text}`);
}

/** Reports if a busy machine may have caused the failure, so that a second run makes sense. */
export function isWorthRepeating(outcome: Outcome): boolean {
  return outcome.ended === undefined && outcome.faults.length === 0 && failures(outcome).length > 0;
}

export function isRefused({ status }: Sample): boolean {
  return status >= 300 || status === 0;
}

function shown({ kind, ms, status }: Sample): string {
  return `${kind} ${status === 0 ? 'without an answer' : status} after ${Math.round(ms)} ms`;
}
