import type { ClientSession } from 'mongodb';
import { memoryOfTombstone, type Tombstone } from '../../../domain/filter/tombstone.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { ListQuery } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { partOf } from '../engine/documents.js';
import { idOf } from '../engine/memory-documents.js';
import { page } from '../engine/paging.js';

/** Returns the id of a tombstone. A memory id may be purged in several organizations, and again after an import. */
export function tombstoneId(organizationId: string, id: string, at: Microseconds): string {
  return [id, organizationId, at].join('@');
}

/** Returns the tombstones that may belong to a list of changes, in its order. */
export async function listTombstones(
  { tombstones }: Pick<Collections, 'tombstones'>,
  organizationId: string,
  { since, after, limit }: Pick<ListQuery, 'since' | 'after' | 'limit'>,
  session: ClientSession,
): Promise<Memory[]> {
  const scope = { org: organizationId, ...(since !== undefined && { purgedAt: { $gte: since } }) };
  const from = after && { at: after.at, id: tombstoneId(organizationId, after.id, after.at) };
  const { filter, options } = page(scope, { time: 'purgedAt', direction: 1, after: from, limit });
  const found = await tombstones.find(filter, { ...options, session }).toArray();
  return found.map((document) =>
    memoryOfTombstone(organizationId, { ...partOf<Tombstone>(document), id: idOf(document._id) }),
  );
}
