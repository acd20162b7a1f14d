import { invalid } from '../invalid.js';
import { type Microseconds, parseTimestamp } from '../timestamp.js';
import type { Memory } from './memory.js';

/** When a memory expires, as a write gives it: null for never, undefined to leave it as it is. */
export type GivenExpiry = Microseconds | null | undefined;

/** @throws {UnprocessableError} for what is no time, or not in the future */
export function parseExpiry(input: string | null | undefined, now: Microseconds): GivenExpiry {
  if (input === undefined || input === null) return input;
  const at = parseTimestamp(input, 'expiresAt');
  if (at <= now) throw invalid('expiresAt', 'must be in the future');
  return at;
}

/** A memory with what a write gives. */
export function withExpiry(memory: Memory, given: GivenExpiry): Memory {
  if (given === undefined) return memory;
  const { expiresAt: _, ...others } = memory;
  return given === null ? others : { ...others, expiresAt: given };
}

/**
 * What a memory gets that a new one is folded into: it lives as long as the longer of the two would, so that neither
 * write loses what it stored.
 */
export function laterExpiry({ expiresAt }: Pick<Memory, 'expiresAt'>, given: GivenExpiry): GivenExpiry {
  if (expiresAt === undefined) return undefined;
  return given === undefined || given === null ? null : Math.max(expiresAt, given);
}

/** The earlier of a time and of when an active memory expires. */
export function earlierExpiry(
  known: Microseconds | undefined,
  { deletedAt, expiresAt }: Pick<Memory, 'deletedAt' | 'expiresAt'>,
): Microseconds | undefined {
  if (deletedAt !== undefined || expiresAt === undefined) return known;
  return known === undefined ? expiresAt : Math.min(known, expiresAt);
}
