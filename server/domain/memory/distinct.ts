import { hashContent } from '../text/content.js';
import type { Memory } from './memory.js';

/** The `dedupe` of a write: `off` makes the memory distinct. Undefined keeps what it is; a new memory is ordinary. */
export type GivenDedupe = 'on' | 'off' | undefined;

/** Returns a memory with the `dedupe` of a write. */
export function withDedupe(memory: Memory, given: GivenDedupe): Memory {
  if (given === undefined) return memory;
  const { distinct: _, ...others } = memory;
  return given === 'off' ? { ...others, distinct: true } : others;
}

/** The fields of a memory that decide its hashes in a store. An id is needed only without an external key. */
export type Owner = Pick<Memory, 'scope'> & Partial<Pick<Memory, 'id' | 'externalKey' | 'distinct'>>;

const SEPARATOR = ':';

/**
 * Returns the form in which a store saves a hash of a content. For a distinct memory it differs from that of every other
 * memory, so no lookup by content or words finds it, and unique indexes accept it beside memories with equal content.
 */
export function ownHash(hash: string, owner: Owner): string {
  return hash + suffixOf(owner);
}

/** Returns the part of `ownHash` after the hash. Empty if the memory is not distinct. */
export function suffixOf({ distinct, id = '', externalKey, scope }: Owner): string {
  if (!distinct) return '';
  const name = externalKey === undefined ? id : hashContent(JSON.stringify([externalKey, scope.source, scope.project]));
  return SEPARATOR + name;
}

/** Returns the hash in a result of `ownHash`. */
export function plainHash(own: string): string {
  return own.split(SEPARATOR, 1)[0] ?? own;
}
