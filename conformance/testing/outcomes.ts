import type { Outcome, Run, Status } from '../run/outcome.js';

/** Builds the outcome of a check, for tests. */
export function anOutcome(id: string, status: Status, others: Partial<Outcome> = {}): Outcome {
  const message = status === 'pass' ? {} : { message: `expected <b>200</b> & got 500` };
  return { id, section: '4.1', level: 'must', requirement: 'It works.', status, durationMs: 12, ...message, ...others };
}

/** A run of these outcomes. */
export function aRun(outcomes: readonly Outcome[], others: Partial<Run> = {}): Run {
  return {
    baseUrl: 'http://one.test',
    contractVersion: '1.2.3',
    startedAt: '2026-03-02T09:15:04.119Z',
    durationMs: 4_200,
    outcomes,
    stale: [],
    troubles: [],
    coverage: {
      operations: [{ operationId: 'ingestMemory', seen: [201], unseen: [200, 409] }],
      seen: 1,
      documented: 3,
    },
    ...others,
  };
}
