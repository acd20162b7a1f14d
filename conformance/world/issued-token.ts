import type { Answer } from '../transport/answer.js';

export const TOKENS = '/api/organization/tokens';

/** Longer than a run takes: what a run that was cut off leaves behind is worth nothing after that. */
const LIFE_MS = 2 * 60 * 60 * 1_000;

/** A token that the run made for itself. */
export interface IssuedToken {
  readonly id: string;
  readonly token: string;
}

/** The body of a request for a token. */
export function askForToken(runId: string, abilities: readonly string[]): Record<string, unknown> {
  const expiresAt = new Date(Date.now() + LIFE_MS).toISOString();
  return { name: `conformance ${runId}`, abilities, expiresAt };
}

/** The token of an answer, if it has one. */
export function readIssued({ status, body: { id, token } }: Answer): IssuedToken | undefined {
  return status === 201 && typeof id === 'string' && typeof token === 'string' ? { id, token } : undefined;
}
