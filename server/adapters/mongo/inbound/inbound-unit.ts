import type { ClientSession } from 'mongodb';
import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { Refusals } from '../../../domain/inbound/refusals.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { InboundUnit } from '../../../ports/inbound-store.js';
import type { Collections } from '../engine/collections.js';
import { deleteSome } from '../engine/delete-some.js';
import { toDelivery, toDeliveryDocument, toWebhook, toWebhookDocument } from './inbound-documents.js';

export class MongoInboundUnit implements InboundUnit {
  readonly #webhooks: Collections['inboundWebhooks'];
  readonly #deliveries: Collections['inboundDeliveries'];
  readonly #org: string;
  readonly #open: () => Promise<ClientSession>;

  /** @param open returns the session of a unit that holds its organization, or throws if the unit has ended */
  constructor({ inboundWebhooks, inboundDeliveries }: Collections, org: string, open: () => Promise<ClientSession>) {
    this.#webhooks = inboundWebhooks;
    this.#deliveries = inboundDeliveries;
    this.#org = org;
    this.#open = open;
  }

  async findWebhook(webhookId: string): Promise<InboundWebhook | undefined> {
    const found = await this.#webhooks.findOne({ _id: webhookId, org: this.#org }, { session: await this.#open() });
    return found ? toWebhook(found) : undefined;
  }

  async countWebhooks(): Promise<number> {
    return this.#webhooks.countDocuments({ org: this.#org }, { session: await this.#open() });
  }

  async insertWebhook(webhook: InboundWebhook): Promise<void> {
    await this.#webhooks.insertOne(toWebhookDocument(this.#org, webhook), { session: await this.#open() });
  }

  async updateWebhook(webhook: InboundWebhook): Promise<void> {
    const { _id, ...state } = toWebhookDocument(this.#org, webhook);
    await this.#webhooks.replaceOne({ _id, org: this.#org }, state, { session: await this.#open() });
  }

  async addRefusals(webhookId: string, { count, lastAt, lastReason }: Refusals): Promise<void> {
    const last = { 'refusals.lastAt': lastAt, 'refusals.lastReason': lastReason };
    await this.#webhooks.updateOne(
      { _id: webhookId, org: this.#org },
      { $inc: { 'refusals.count': count }, $set: last },
      { session: await this.#open() },
    );
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    const session = await this.#open();
    await this.#deliveries.deleteMany({ org: this.#org, webhookId }, { session });
    await this.#webhooks.deleteOne({ _id: webhookId, org: this.#org }, { session });
  }

  async findRepeated(webhookId: string, deliveryId: string, bodyHash: string): Promise<InboundDelivery[]> {
    const repeated = { org: this.#org, webhookId, $or: [{ deliveryId }, { bodyHash }] };
    return (await this.#deliveries.find(repeated, { session: await this.#open() }).toArray()).map(toDelivery);
  }

  async hasQueued(webhookId: string, atLeast: number): Promise<boolean> {
    const queued = { org: this.#org, webhookId, state: 'queued' } as const;
    const found = await this.#deliveries.countDocuments(queued, { session: await this.#open(), limit: atLeast });
    return found >= atLeast;
  }

  async insertDelivery(delivery: InboundDelivery): Promise<void> {
    await this.#deliveries.insertOne(toDeliveryDocument(this.#org, delivery), { session: await this.#open() });
  }

  async rewrapDelivery(key: string, from: string, to: string): Promise<boolean> {
    const session = await this.#open();
    const own = { _id: key, org: this.#org };
    // Compared here, since two of the largest texts would exceed the size of a command.
    const stored = await this.#deliveries.findOne(own, { session, projection: { sealedMemories: 1 } });
    if (stored?.sealedMemories !== from) return false;
    await this.#deliveries.updateOne(own, { $set: { sealedMemories: to } }, { session });
    return true;
  }

  async deleteDelivery(key: string): Promise<void> {
    await this.#deliveries.deleteOne({ _id: key, org: this.#org }, { session: await this.#open() });
  }

  async deleteDeliveries(webhookId: string, before: Microseconds, limit: number): Promise<void> {
    const session = await this.#open();
    const old = { org: this.#org, webhookId, receivedAt: { $lt: before }, state: { $ne: 'queued' } } as const;
    await deleteSome(this.#deliveries, old, { session, sort: { receivedAt: 1 }, limit });
  }
}
