import { type Memory, NO_SCOPE } from '../memory/memory.js';
import { byPosition } from '../page.js';
import { type Filter, isEmptyFilter } from './filter.js';

/** The id and the times of a purged memory, which stay stored. */
export type Tombstone = Pick<Memory, 'id' | 'createdAt'> & Required<Pick<Memory, 'deletedAt' | 'purgedAt'>>;

/** Returns a tombstone as a memory without content, for a list of changes. */
export function memoryOfTombstone(organizationId: string, tombstone: Tombstone): Memory {
  const { id, createdAt, deletedAt, purgedAt } = tombstone;
  return {
    id,
    organizationId,
    content: '',
    metadata: {},
    scope: NO_SCOPE,
    createdAt,
    updatedAt: purgedAt,
    deletedAt,
    purgedAt,
  };
}

/** Reports if a list contains tombstones. A filter never matches them, because they have no content or metadata. */
export function hasTombstones({
  filter,
  includeDeleted,
  order,
  memoriesOnly = false,
}: {
  filter: Filter;
  includeDeleted: boolean | 'only';
  order: string;
  memoriesOnly?: boolean;
}): boolean {
  return order === 'changed' && includeDeleted === true && isEmptyFilter(filter) && !memoriesOnly;
}

/** Memories of a list of changes, without tombstones. */
interface ChangedMemories {
  memories: readonly Memory[];
  /** True if the list ends before the limit although more memories follow. */
  isCut: boolean;
}

/** Merges tombstones into a list of changes. Omits those that belong after memories that are not in the list. */
export function withTombstones(
  { memories, isCut }: ChangedMemories,
  tombstones: readonly Memory[],
  limit: number,
): Memory[] {
  if (tombstones.length === 0) return [...memories];
  const last = memories.at(-1);
  const due = isCut && last ? tombstones.filter((tombstone) => comesBefore(tombstone, last)) : tombstones;
  return [...memories, ...due].sort((one, other) => (comesBefore(one, other) ? -1 : 1)).slice(0, limit);
}

function comesBefore(one: Memory, other: Memory): boolean {
  return byPosition({ at: one.updatedAt, id: one.id }, { at: other.updatedAt, id: other.id }) < 0;
}
