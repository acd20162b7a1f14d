import { invalid } from '../invalid.js';
import { type Microseconds, parseTimestamp } from '../timestamp.js';
import type { Memory } from './memory.js';

/** Expiry in a write: null for never, undefined to leave it unchanged. */
export type GivenExpiry = Microseconds | null | undefined;

/** @throws {UnprocessableError} for a text that is not a time in the future */
export function parseExpiry(input: string | null | undefined, now: Microseconds): GivenExpiry {
  if (input === undefined || input === null) return input;
  const at = parseTimestamp(input, 'expiresAt');
  if (at <= now) throw invalid('expiresAt', 'must be in the future');
  return at;
}

/** Returns a memory with the expiry of a write. */
export function withExpiry(memory: Memory, given: GivenExpiry): Memory {
  if (given === undefined) return memory;
  const { expiresAt: _, ...others } = memory;
  return given === null ? others : { ...others, expiresAt: given };
}

/**
 * Returns the expiry of a memory into which a write is merged: the later of the two, so that neither write expires too
 * early.
 */
export function laterExpiry({ expiresAt }: Pick<Memory, 'expiresAt'>, given: GivenExpiry): GivenExpiry {
  if (expiresAt === undefined) return undefined;
  return given === undefined || given === null ? null : Math.max(expiresAt, given);
}

/** Returns the earlier of a time and the expiry of an active memory. */
export function earlierExpiry(
  known: Microseconds | undefined,
  { deletedAt, expiresAt }: Pick<Memory, 'deletedAt' | 'expiresAt'>,
): Microseconds | undefined {
  if (deletedAt !== undefined || expiresAt === undefined) return known;
  return known === undefined ? expiresAt : Math.min(known, expiresAt);
}
