import type { CallOptions, Filter, Memory, MemoryClient } from '@memory-service/sdk';
import { PROFILE_TOKENS } from '../size.js';
import { compose } from './compose.js';

/** How many of the newest memories a profile considers. */
const CONSIDERED = 50;

/**
 * Returns what is known about a subject, as a text for a prompt: the newest memories by their kind. Returns undefined if
 * nothing is known.
 */
export async function readProfile(
  client: MemoryClient,
  subject: string,
  filter: Filter,
  options: CallOptions,
): Promise<string | undefined> {
  const { results } = await client.recent({ filter, limit: CONSIDERED }, options);
  if (results.length === 0) return undefined;
  const sections = Array.from(byKind(results), ([kind, memories]) => ({ heading: `${kind}:`, memories }));
  return compose(sections, PROFILE_TOKENS, `About ${subject} (${counted(results.length)})`).text;
}

function counted(count: number): string {
  if (count === 1) return '1 memory';
  return count < CONSIDERED ? `${count} memories` : `the ${CONSIDERED} newest memories`;
}

function byKind(memories: readonly Memory[]): Map<string, Memory[]> {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    const { kind } = memory.metadata;
    const name = typeof kind === 'string' && kind !== '' ? kind : 'other';
    groups.set(name, [...(groups.get(name) ?? []), memory]);
  }
  return groups;
}
