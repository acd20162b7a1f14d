import type { Db } from 'mongodb';
import { VECTOR_BYTES } from '../../../domain/memory/stored-bytes.js';
import { StoreOpenError } from '../../../ports/store.js';
import { Collections } from '../engine/collections.js';

/** Memories that one command counts. */
const PIECE = 10_000;
/** Counts that a write of another server may come between. */
const ATTEMPTS = 5;

const UNCOUNTED = { bytes: { $exists: false } };

/** Whether the bytes of every organization's memories are counted. */
export async function areBytesCounted(db: Db): Promise<boolean> {
  return (await db.collection('organizations').findOne(UNCOUNTED, { projection: { _id: 1 } })) === null;
}

/**
 * Counts once what organizations of an earlier release have stored. From then on each unit of work keeps the count.
 *
 * @throws {StoreOpenError} when an organization is written the whole time
 */
export async function countStoredBytes(db: Db, pieceOf = PIECE): Promise<void> {
  const collections = new Collections(db);
  for await (const { _id } of db
    .collection<{ _id: string }>('organizations')
    .find(UNCOUNTED, { projection: { _id: 1 } })) {
    await countOrganization(collections, _id, pieceOf);
  }
}

async function countOrganization(collections: Collections, _id: string, pieceOf: number): Promise<void> {
  const { organizations } = collections;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await organizations.findOne({ _id }, { projection: { revision: 1 } });
    if (!before) return;
    const bytes = await sumBytes(collections, _id, pieceOf);
    // Every unit of work raises the revision: a count beside one is done again.
    const unchanged = { _id, revision: before.revision };
    if ((await organizations.updateOne(unchanged, { $set: { bytes } })).matchedCount === 1) return;
  }
  throw new StoreOpenError(
    `The memories of the organization ${_id} could not be counted, since it is written the whole time: ` +
      'stop the servers of the earlier release, and try again',
  );
}

async function sumBytes({ memories }: Collections, org: string, pieceOf: number): Promise<number> {
  let [sum, after] = [0, -1];
  for (;;) {
    const texts = { $add: [{ $strLenBytes: '$content' }, { $strLenBytes: '$metadata' }, VECTOR_BYTES] };
    const pipeline = [
      { $match: { org, createdAt: { $gt: after } } },
      { $sort: { createdAt: 1 } },
      { $limit: pieceOf },
      { $project: { createdAt: 1, bytes: { $cond: ['$live', texts, 0] } } },
      { $group: { _id: null, bytes: { $sum: '$bytes' }, last: { $max: '$createdAt' }, found: { $sum: 1 } } },
    ];
    const [piece] = await memories.aggregate<{ bytes: number; last: number; found: number }>(pipeline).toArray();
    if (!piece) return sum;
    sum += Number(piece.bytes);
    after = Number(piece.last);
    if (Number(piece.found) < pieceOf) return sum;
  }
}
