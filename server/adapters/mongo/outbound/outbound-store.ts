import type { ListedDelivery, OutboundDelivery } from '../../../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { DeliveryQuery, OutboundStore } from '../../../ports/outbound-store.js';
import type { Collections } from '../engine/collections.js';
import { partOf, type Stored } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { page } from '../engine/paging.js';
import { stateUpdate, toWebhook } from './outbound-documents.js';
import { withBodies } from './payloads.js';

export class MongoOutboundStore implements OutboundStore {
  readonly #webhooks: Collections['outboundWebhooks'];
  readonly #deliveries: Collections['outboundDeliveries'];
  readonly #collections: Collections;

  constructor(collections: Collections) {
    this.#collections = collections;
    this.#webhooks = collections.outboundWebhooks;
    this.#deliveries = collections.outboundDeliveries;
  }

  async findWebhook(organizationId: string, webhookId: string): Promise<OutboundWebhook | undefined> {
    const found = await guarded(() => this.#webhooks.findOne({ _id: webhookId, org: organizationId }));
    return found ? toWebhook(found) : undefined;
  }

  async listWebhooks(organizationId: string, { after, limit }: PageQuery): Promise<OutboundWebhook[]> {
    const { filter, options } = page({ org: organizationId }, { time: 'createdAt', direction: 1, after, limit });
    const found = await guarded(() => this.#webhooks.find(filter, options).toArray());
    return found.map(toWebhook);
  }

  async findDelivery(organizationId: string, deliveryId: string): Promise<OutboundDelivery | undefined> {
    return guarded(async () => {
      const found = await this.#deliveries.find({ _id: deliveryId, org: organizationId }).toArray();
      const [delivery] = await withBodies(this.#collections, organizationId, found);
      return delivery;
    });
  }

  async listDeliveries(organizationId: string, query: DeliveryQuery): Promise<ListedDelivery[]> {
    const { webhookId, status, since, after, limit } = query;
    const scope = { org: organizationId, webhookId, ...(status !== undefined && { status }) };
    const when = since === undefined ? scope : { ...scope, createdAt: { $gte: since } };
    const { filter, options } = page(when, { time: 'createdAt', direction: -1, after, limit });
    const projection = { attemptLog: 0, payload: 0, body: 0 };
    const listed = { ...options, projection };
    const found = await guarded(() => this.#deliveries.find<Stored<ListedDelivery>>(filter, listed).toArray());
    return found.map((document) => partOf<ListedDelivery>(document));
  }

  async oldestEnded(organizationId: string): Promise<Microseconds | undefined> {
    const ended = { org: organizationId, status: { $ne: 'pending' } } as const;
    const options = { sort: { createdAt: 1 }, projection: { createdAt: 1 } } as const;
    return (await guarded(() => this.#deliveries.findOne(ended, options)))?.createdAt;
  }

  async storeAttempt(organizationId: string, before: OutboundDelivery, after: OutboundDelivery): Promise<boolean> {
    const unchanged = {
      _id: before.id,
      org: organizationId,
      status: 'pending',
      attempts: before.attempts,
      'lastAttempt.at': before.lastAttempt?.at ?? null,
    } as const;
    const { matchedCount } = await guarded(() => this.#deliveries.updateOne(unchanged, stateUpdate(after)));
    return matchedCount === 1;
  }
}
