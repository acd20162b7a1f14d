import { byPosition } from '../page.js';
import { type Filter, isEmptyFilter } from './filter.js';
import { type Memory, NO_SCOPE } from './memory.js';

/** What stays of a purged memory: its id and its times. */
export type Tombstone = Pick<Memory, 'id' | 'createdAt'> & Required<Pick<Memory, 'deletedAt' | 'purgedAt'>>;

/** A tombstone in the form of a memory, without content, as lists of changes return it. */
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

/** Whether a list has tombstones. They have nothing left that a filter could match. */
export function hasTombstones({
  filter,
  includeDeleted,
  order,
}: {
  filter: Filter;
  includeDeleted: boolean;
  order: string;
}): boolean {
  return order === 'changed' && includeDeleted && isEmptyFilter(filter);
}

/** The memories of a list of changes as a store found them. */
interface ChangedMemories {
  memories: readonly Memory[];
  /** Whether the list ends before the limit although more memories follow. */
  isCut: boolean;
}

/** Sorts tombstones into a list of changes. None comes after memories that are not in the list yet. */
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
