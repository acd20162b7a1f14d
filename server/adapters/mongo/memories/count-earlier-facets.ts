import type { ClientSession, Db } from 'mongodb';
import { Collections } from '../engine/collections.js';
import { ALL_FACETS, areFacetsTracked, facetsTo, NEXT_REVISION } from '../engine/organization-state.js';
import { limitedTo } from '../engine/paging.js';
import { Transactions } from '../engine/transactions.js';
import { UnitFacetCounts } from './unit-facet-counts.js';

/** Memories that one transaction counts. It holds the organization meanwhile. */
const BATCH_SIZE = 1_000;
/** Time that one transaction may wait for the writes of servers. */
const DEADLINE_MS = 60_000;

/** Organizations whose counts are not complete, because a server of an earlier release wrote to them. */
const UNCOUNTED = {
  $or: [{ facetsTo: { $ne: ALL_FACETS } }, { $expr: { $ne: ['$revision', '$facetRevision'] } }],
};

/**
 * Counts the facets of organizations that have no complete counts. Servers may write meanwhile: they change the counts
 * of the memories that are counted already. Continues where a run was interrupted.
 *
 * @returns the number of organizations whose facets it counted
 */
export async function countEarlierFacets(db: Db, batchSize = BATCH_SIZE): Promise<number> {
  const collections = new Collections(db);
  const transactions = new Transactions(db.client, DEADLINE_MS);
  let organizations = 0;
  for await (const { _id } of collections.organizations.find(UNCOUNTED, { projection: { _id: 1 } })) {
    for (let isDone = false; !isDone; ) {
      isDone = await transactions.write((session) => countSome(collections, _id, batchSize, session));
    }
    organizations += 1;
  }
  return organizations;
}

/** Counts the next memories of an organization, or removes some invalid counts. Returns true at the end. */
async function countSome(
  collections: Collections,
  org: string,
  batchSize: number,
  session: ClientSession,
): Promise<boolean> {
  const { organizations, memories, facetCounts } = collections;
  const held = await organizations.findOneAndUpdate({ _id: org }, { $inc: NEXT_REVISION }, { session });
  if (!held || facetsTo(held) === ALL_FACETS) return true;
  let to = facetsTo(held);
  if (areFacetsTracked(held)) {
    const filter = { org, live: { $in: [true, false] }, createdAt: { $gt: to } };
    const projection = { live: 1, metadata: 1, createdAt: 1 };
    const options = {
      session,
      sort: { createdAt: 1 },
      ...limitedTo(batchSize),
      projection,
    } as const;
    const found = await memories.find(filter, options).toArray();
    const counts = new UnitFacetCounts(facetCounts, org);
    for (const memory of found) counts.change(undefined, memory, { facetsTo: ALL_FACETS });
    const writes = counts.takeOperations();
    if (writes.length > 0) await facetCounts.bulkWrite(writes, { session });
    to = found.length < batchSize ? ALL_FACETS : (found.at(-1)?.createdAt ?? ALL_FACETS);
  } else if (await removeSome(facetCounts, org, batchSize, session)) {
    return false;
  }
  const tracked = { facetsTo: to, facetRevision: held.revision + 1 };
  await organizations.updateOne({ _id: org }, { $set: tracked }, { session });
  return to === ALL_FACETS;
}

/** Removes counts that miss writes. Returns true if there may be more. */
async function removeSome(
  facetCounts: Collections['facetCounts'],
  org: string,
  limit: number,
  session: ClientSession,
): Promise<boolean> {
  const wrong = await facetCounts.find({ org }, { session, ...limitedTo(limit), projection: { _id: 1 } }).toArray();
  await facetCounts.deleteMany({ _id: { $in: wrong.map(({ _id }) => _id) } }, { session });
  return wrong.length === limit;
}
