import type { Db } from 'mongodb';
import { VECTOR_BYTES } from '../../../domain/memory/stored-bytes.js';
import { StoreOpenError } from '../../../ports/store-errors.js';
import { Collections } from '../engine/collections.js';

/** Memories that one command counts. */
const BATCH_SIZE = 10_000;
/** Attempts to count. A write of another server makes a count invalid. */
const MAX_ATTEMPTS = 5;

const UNCOUNTED = { bytes: { $exists: false } };

/** Reports if the bytes of every organization's memories are counted. */
export async function areBytesCounted(db: Db): Promise<boolean> {
  return (await db.collection('organizations').findOne(UNCOUNTED, { projection: { _id: 1 } })) === null;
}

/**
 * Counts the stored bytes of organizations from an earlier release. From then on each unit of work updates the count.
 *
 * @throws {StoreOpenError} when an organization is constantly being written to
 */
export async function countStoredBytes(db: Db, batchSize = BATCH_SIZE): Promise<void> {
  const collections = new Collections(db);
  for await (const { _id } of db
    .collection<{ _id: string }>('organizations')
    .find(UNCOUNTED, { projection: { _id: 1 } })) {
    await countOrganization(collections, _id, batchSize);
  }
}

async function countOrganization(collections: Collections, _id: string, batchSize: number): Promise<void> {
  const { organizations } = collections;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const before = await organizations.findOne({ _id }, { projection: { revision: 1 } });
    if (!before) return;
    const bytes = await sumBytes(collections, _id, batchSize);
    // Every unit of work raises the revision, so a count during a write is repeated.
    const unchanged = { _id, revision: before.revision };
    if ((await organizations.updateOne(unchanged, { $set: { bytes } })).matchedCount === 1) return;
  }
  throw new StoreOpenError(
    `The memories of the organization ${_id} could not be counted, since it is constantly being written to: ` +
      'stop the servers of the earlier release, then retry',
  );
}

async function sumBytes({ memories }: Collections, org: string, batchSize: number): Promise<number> {
  let [sum, after] = [0, -1];
  for (;;) {
    const texts = { $add: [{ $strLenBytes: '$content' }, { $strLenBytes: '$metadata' }, VECTOR_BYTES] };
    const pipeline = [
      { $match: { org, createdAt: { $gt: after } } },
      { $sort: { createdAt: 1 } },
      { $limit: batchSize },
      { $project: { createdAt: 1, bytes: { $cond: ['$live', texts, 0] } } },
      { $group: { _id: null, bytes: { $sum: '$bytes' }, last: { $max: '$createdAt' }, found: { $sum: 1 } } },
    ];
    const [batch] = await memories.aggregate<{ bytes: number; last: number; found: number }>(pipeline).toArray();
    if (!batch) return sum;
    sum += Number(batch.bytes);
    after = Number(batch.last);
    if (Number(batch.found) < batchSize) return sum;
  }
}
