import type { Collection, Document, Filter } from 'mongodb';
import type { DeletionStore, OrganizationDeletion } from '../../ports/deletion-store.js';
import { ofOrganization } from './billing/usage-counts.js';
import type { MongoUsageMeter } from './billing/usage-meter.js';
import type { Collections } from './engine/collections.js';
import { guarded } from './engine/errors.js';
import { limitedTo } from './engine/paging.js';

export class MongoDeletionStore implements DeletionStore {
  readonly #collections: Collections;
  readonly #usage: MongoUsageMeter;

  constructor(collections: Collections, usage: MongoUsageMeter) {
    this.#collections = collections;
    this.#usage = usage;
  }

  async list(): Promise<OrganizationDeletion[]> {
    const { deletions } = this.#collections;
    const found = await guarded(() => deletions.find({}, { sort: { deletedAt: 1, _id: 1 } }).toArray());
    return found.map(({ _id, deletedAt }) => ({ organizationId: _id, deletedAt }));
  }

  async removeSome(organizationId: string, limit: number): Promise<boolean> {
    if (!(await this.#isDeleted(organizationId))) return false;
    await this.#usage.flush();
    for (const remove of removals(this.#collections, organizationId)) {
      if (await guarded(() => remove(limit))) return true;
    }
    return false;
  }

  async end(organizationId: string): Promise<void> {
    if (!(await this.#isDeleted(organizationId))) return;
    const { deletions, jobs } = this.#collections;
    await guarded(() => jobs.deleteMany({ 'data.organizationId': organizationId, lockedAt: null } as object));
    await guarded(() => deletions.deleteOne({ _id: organizationId }));
  }

  async #isDeleted(organizationId: string): Promise<boolean> {
    return (await guarded(() => this.#collections.deletions.findOne({ _id: organizationId }))) !== null;
  }
}

/** Returns functions that remove some documents of an organization from one collection each. Jobs come first. */
function removals(collections: Collections, org: string): readonly ((limit: number) => Promise<boolean>)[] {
  const { jobs, usage, ...others } = collections;
  // A job that runs finds nothing to do, and removes its document itself.
  const waiting = { 'data.organizationId': org, lockedAt: null, name: { $ne: 'delete-organization' } } as object;
  const owned = [
    others.inboundDeliveries,
    others.outboundDeliveries,
    others.outboundPayloads,
    others.outboundWebhooks,
    others.inboundWebhooks,
    others.memories,
    others.facetCounts,
    others.memoryVersions,
    others.tombstones,
    others.erasures,
    others.auditEvents,
    others.tokens,
    others.invitations,
    others.memberships,
    others.subscriptions,
    others.billingEvents,
    others.dailyUsage,
  ] as unknown as Collection<{ _id: string; org: string }>[];
  return [
    (limit) => removeFrom(jobs, waiting, limit),
    ...owned.map((collection) => (limit: number) => removeFrom(collection, { org }, limit)),
    (limit) => removeFrom(usage, ofOrganization(org), limit),
  ];
}

async function removeFrom<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  limit: number,
): Promise<boolean> {
  const found = await collection.find(filter, { projection: { _id: 1 }, ...limitedTo(limit) }).toArray();
  if (found.length === 0) return false;
  await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } } as Filter<T>);
  return true;
}
