import { expect } from 'vitest';
import type { Sending } from '../transport/request.js';
import type { Target } from '../world/target.js';

export const TOKENS = '/api/organization/tokens';

export interface MadeToken {
  id: string;
  token: string;
  abilities: string[];
}

/** Creates a token for the user of `sending`, passes it on, and always revokes it. */
export async function withToken(
  target: Target,
  abilities: readonly string[],
  sending: Sending,
  use: (made: MadeToken) => Promise<void>,
): Promise<void> {
  const answer = await target.send('POST', TOKENS, { name: `conformance ${target.runId}`, abilities }, sending);
  expect(answer.status, answer.text).toBe(201);
  const made = answer.body as unknown as MadeToken;
  try {
    await use(made);
  } finally {
    await target.send('DELETE', `${TOKENS}/${made.id}`, undefined, sending);
  }
}
