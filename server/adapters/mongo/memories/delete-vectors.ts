import type { Collections } from '../engine/collections.js';
import type { OrganizationHold } from '../engine/organization-hold.js';
import { limitedTo } from '../engine/paging.js';
import { fieldsOf, type VectorSlot } from '../engine/vectors.js';

interface Deleted {
  slot: VectorSlot;
  fingerprint: string;
  /** Maximum number of memories. */
  limit: number;
}

/** Deletes vectors of one embedder from a slot. Returns how many. */
export async function deleteVectors(
  memories: Collections['memories'],
  hold: OrganizationHold,
  { slot, fingerprint, limit }: Deleted,
): Promise<number> {
  const session = await hold.session();
  const filter = { org: hold.id, [slot.fingerprint]: fingerprint };
  const found = await memories.find(filter, { session, ...limitedTo(limit), projection: { _id: 1 } }).toArray();
  const [first] = found;
  if (!first) return 0;
  // Vectors of one embedder have the same size, so those of the others are in the same field.
  const one = await memories.findOne({ _id: first._id }, { session, projection: { embedding: 1 } });
  const fields = fieldsOf(one?.embedding ?? {}, slot).map((field) => [`embedding.${field}`, true as const]);
  const ids = { _id: { $in: found.map(({ _id }) => _id) }, org: hold.id };
  const update =
    slot.name === 'first'
      ? { $set: { fingerprint: '' }, $unset: Object.fromEntries(fields) }
      : { $unset: Object.fromEntries([...fields, ['fingerprintB', true as const]]) };
  await memories.updateMany(ids, update, { session });
  return found.length;
}
