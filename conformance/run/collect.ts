import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Outcome, Status } from './outcome.js';
import './suite-meta.js';

/** Turns what vitest tells into outcomes, and hands each on as it comes. */
export class Collector implements Reporter {
  readonly outcomes: Outcome[] = [];
  readonly troubles: string[] = [];
  seen: readonly string[] = [];

  /** @param isStrict true if a missing capability is an error */
  constructor(
    private readonly isStrict: boolean,
    private readonly onOutcome: (outcome: Outcome) => void,
  ) {}

  onTestCaseResult(testCase: TestCase): void {
    const { conformance, blocked = false, lacking = false, seen, troubles } = testCase.meta();
    const result = testCase.result();
    if (seen) this.seen = seen;
    this.troubles.push(...(troubles ?? []));
    const message = result.state === 'skipped' ? result.note : result.errors?.map((error) => error.message).join('; ');
    if (!conformance) {
      if (message) this.troubles.push(message);
      return;
    }
    const outcome: Outcome = {
      ...conformance,
      status: toStatus(result.state, conformance, { blocked, unchecked: lacking && !this.isStrict }),
      ...(message && { message }),
      durationMs: Math.round(testCase.diagnostic()?.duration ?? 0),
    };
    this.outcomes.push(outcome);
    this.onOutcome(outcome);
  }

  onUserConsoleLog({ content }: { content: string }): void {
    process.stdout.write(content);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    const faults = [...modules.flatMap((module) => module.errors()), ...unhandled];
    this.troubles.push(...faults.map(({ message }) => message));
  }
}

function toStatus(
  state: string,
  { level, needs = [] }: Pick<Outcome, 'level' | 'needs'>,
  { blocked, unchecked }: { blocked: boolean; unchecked: boolean },
): Status {
  if (state === 'passed') return 'pass';
  if (state === 'skipped') return 'skipped';
  if (unchecked && needs.length > 0) return 'unchecked';
  if (blocked) return 'error';
  return level === 'must' ? 'fail' : 'warning';
}
