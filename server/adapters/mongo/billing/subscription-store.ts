import type { ClientSession } from 'mongodb';
import type { Subscription } from '../../../domain/billing/subscription.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { SubscriptionStore, SubscriptionUnit } from '../../../ports/subscription-store.js';
import type { Collections } from '../engine/collections.js';
import { deleteSome } from '../engine/delete-some.js';
import { compoundId } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';

export class MongoSubscriptionStore implements SubscriptionStore {
  readonly #collections: Collections;

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  async of(organizationId: string): Promise<Subscription[]> {
    return guarded(() => readSubscriptions(this.#collections, organizationId));
  }
}

/** The subscriptions of the organization of one unit of work, in its transaction. */
export class MongoSubscriptionUnit implements SubscriptionUnit {
  readonly #collections: Collections;
  readonly #org: string;
  readonly #open: () => Promise<ClientSession>;

  /** @param open returns the session of a unit that holds its organization, or throws if the unit has ended */
  constructor(collections: Collections, org: string, open: () => Promise<ClientSession>) {
    this.#collections = collections;
    this.#org = org;
    this.#open = open;
  }

  async all(): Promise<Subscription[]> {
    return readSubscriptions(this.#collections, this.#org, await this.#open());
  }

  async save(subscription: Subscription): Promise<void> {
    const _id = compoundId(this.#org, subscription.id);
    const options = { session: await this.#open(), upsert: true };
    await this.#collections.subscriptions.replaceOne({ _id }, { org: this.#org, subscription }, options);
  }

  async recordEvent(eventId: string, at: Microseconds): Promise<boolean> {
    const session = await this.#open();
    const event = { _id: compoundId(this.#org, eventId), org: this.#org, takenInAt: at };
    // A violated unique index aborts the transaction, so the unit checks first.
    if (await this.#collections.billingEvents.findOne({ _id: event._id }, { session })) return false;
    await this.#collections.billingEvents.insertOne(event, { session });
    return true;
  }

  async forgetEvents(before: Microseconds, limit: number): Promise<void> {
    const session = await this.#open();
    const old = { org: this.#org, takenInAt: { $lt: before } };
    await deleteSome(this.#collections.billingEvents, old, { session, sort: { takenInAt: 1 }, limit });
  }
}

async function readSubscriptions(
  { subscriptions }: Pick<Collections, 'subscriptions'>,
  org: string,
  session?: ClientSession,
): Promise<Subscription[]> {
  const found = await subscriptions.find({ org }, { ...(session && { session }) }).toArray();
  return found.map(({ subscription }) => subscription);
}
