import type { ClientSession, Filter } from 'mongodb';
import type { OutboundDelivery } from '../../../domain/outbound/delivery.js';
import { TEST_EVENT } from '../../../domain/outbound/event.js';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { NewDelivery, OutboundUnit, Restarted, RestartQuery } from '../../../ports/outbound-store.js';
import type { Collections, OutboundDeliveryDocument } from '../engine/collections.js';
import { limitedTo } from '../engine/paging.js';
import { stateUpdate, toWebhookDocument } from './outbound-documents.js';
import type { OutboundWrites } from './outbound-writes.js';
import { removeDeliveries, withBodies } from './payloads.js';

/** Deliveries of a webhook that one command removes. */
const REMOVE_BATCH_SIZE = 1_000;

/** The outbound webhooks of one unit of work, in its transaction. */
export class MongoOutboundUnit implements OutboundUnit {
  readonly #collections: Collections;
  readonly #webhooks: Collections['outboundWebhooks'];
  readonly #deliveries: Collections['outboundDeliveries'];
  readonly #org: string;
  readonly #kept: OutboundWrites;
  readonly #come: () => Promise<void>;
  readonly #open: () => Promise<ClientSession>;
  readonly #flush: () => Promise<void>;

  /**
   * @param unit `open` returns the session while the organization is held, and `flush` writes the pending deliveries.
   *   All members throw if the unit has ended
   */
  constructor(
    collections: Collections,
    org: string,
    kept: OutboundWrites,
    unit: { come: () => Promise<void>; open: () => Promise<ClientSession>; flush: () => Promise<void> },
  ) {
    this.#collections = collections;
    this.#webhooks = collections.outboundWebhooks;
    this.#deliveries = collections.outboundDeliveries;
    this.#org = org;
    this.#kept = kept;
    this.#come = unit.come;
    this.#open = unit.open;
    this.#flush = unit.flush;
  }

  async webhooks(): Promise<OutboundWebhook[]> {
    await this.#come();
    if (!this.#kept.known) {
      const session = await this.#open();
      this.#kept.learn(await this.#webhooks.find({ org: this.#org }, { session }).toArray());
    }
    return [...(this.#kept.known ?? [])];
  }

  async insertWebhook(webhook: OutboundWebhook): Promise<void> {
    const session = await this.#open();
    this.#kept.forget();
    await this.#webhooks.insertOne(toWebhookDocument(this.#org, webhook), { session });
  }

  async updateWebhook(webhook: OutboundWebhook): Promise<void> {
    const session = await this.#open();
    this.#kept.forget();
    const { _id, ...state } = toWebhookDocument(this.#org, webhook);
    const { matchedCount } = await this.#webhooks.replaceOne({ _id, org: this.#org }, state, { session });
    if (matchedCount === 0) throw new Error(`There is no outbound webhook ${webhook.id}`);
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    const session = await this.#open();
    await this.#flush();
    this.#kept.forget();
    while ((await this.#remove({ org: this.#org, webhookId }, REMOVE_BATCH_SIZE)) === REMOVE_BATCH_SIZE);
    await this.#webhooks.deleteOne({ _id: webhookId, org: this.#org }, { session });
  }

  async findDelivery(deliveryId: string): Promise<OutboundDelivery | undefined> {
    const session = await this.#open();
    await this.#flush();
    const found = await this.#deliveries.find({ _id: deliveryId, org: this.#org }, { session }).toArray();
    const [delivery] = await withBodies(this.#collections, this.#org, found, { session });
    return delivery;
  }

  async insertDeliveries(body: string, deliveries: readonly NewDelivery[]): Promise<void> {
    await this.#come();
    this.#kept.add(body, deliveries);
  }

  async updateDelivery(delivery: OutboundDelivery): Promise<void> {
    const session = await this.#open();
    await this.#flush();
    const which = { _id: delivery.id, org: this.#org };
    const { matchedCount } = await this.#deliveries.updateOne(which, stateUpdate(delivery), { session });
    if (matchedCount === 0) throw new Error(`There is no delivery ${delivery.id}`);
  }

  async restartFailed({ webhookId, since, limit }: RestartQuery): Promise<Restarted> {
    const session = await this.#open();
    await this.#flush();
    const failed = { org: this.#org, webhookId, status: 'failed', createdAt: { $gte: since } } as const;
    const options = {
      session,
      projection: { _id: 1 },
      sort: { createdAt: 1, _id: 1 },
      ...limitedTo(limit + 1),
    } as const;
    const found = await this.#deliveries.find({ ...failed, event: { $ne: TEST_EVENT } }, options).toArray();
    const ids = found.slice(0, limit).map(({ _id }) => _id);
    const restarted = { $set: { status: 'pending', attempts: 0 } } as const;
    await this.#deliveries.updateMany({ _id: { $in: ids }, org: this.#org }, restarted, { session });
    return { ids, isMore: found.length > limit };
  }

  async deleteDeliveriesOf(memoryId: string): Promise<OutboundDelivery[]> {
    const session = await this.#open();
    await this.#flush();
    const found = await this.#deliveries.find({ org: this.#org, memoryId }, { session }).toArray();
    if (found.length === 0) return [];
    const pending = found.filter(({ status }) => status === 'pending');
    const deliveries = await withBodies(this.#collections, this.#org, pending, { session });
    await removeDeliveries(this.#collections, this.#org, found, session);
    return deliveries;
  }

  async deleteDeliveries(before: Microseconds, limit: number): Promise<void> {
    await this.#open();
    await this.#flush();
    await this.#remove({ org: this.#org, createdAt: { $lt: before }, status: { $ne: 'pending' } }, limit);
  }

  /** Removes at most `limit` deliveries, and returns their number. */
  async #remove(filter: Filter<OutboundDeliveryDocument>, limit: number): Promise<number> {
    const session = await this.#open();
    const options = { session, ...limitedTo(limit), projection: { _id: 1, payload: 1 } } as const;
    const found = await this.#deliveries.find(filter, options).toArray();
    if (found.length > 0) await removeDeliveries(this.#collections, this.#org, found, session);
    return found.length;
  }
}
