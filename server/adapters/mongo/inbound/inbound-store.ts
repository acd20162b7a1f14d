import type { InboundDelivery } from '../../../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../../../domain/inbound/inbound-webhook.js';
import type { PageQuery } from '../../../domain/page.js';
import type { InboundDeliveryQuery, InboundStore } from '../../../ports/inbound-store.js';
import type { Collections, InboundDeliveryDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { page } from '../engine/paging.js';
import { toDelivery, toDeliveryDocument, toWebhook } from './inbound-documents.js';

export class MongoInboundStore implements InboundStore {
  readonly #webhooks: Collections['inboundWebhooks'];
  readonly #deliveries: Collections['inboundDeliveries'];

  constructor({ inboundWebhooks, inboundDeliveries }: Collections) {
    this.#webhooks = inboundWebhooks;
    this.#deliveries = inboundDeliveries;
  }

  async findWebhook(webhookId: string): Promise<InboundWebhook | undefined> {
    const found = await guarded(() => this.#webhooks.findOne({ _id: webhookId }));
    return found ? toWebhook(found) : undefined;
  }

  async listWebhooks(organizationId: string, { after, limit }: PageQuery): Promise<InboundWebhook[]> {
    const { filter, options } = page({ org: organizationId }, { time: 'createdAt', direction: 1, after, limit });
    const found = await guarded(() => this.#webhooks.find(filter, options).toArray());
    return found.map(toWebhook);
  }

  async listDeliveries(
    organizationId: string,
    webhookId: string,
    { state, after, limit }: InboundDeliveryQuery,
  ): Promise<InboundDelivery[]> {
    const scope = { org: organizationId, webhookId, ...(state !== undefined && { state }) };
    const { filter, options } = page(scope, { time: 'receivedAt', direction: -1, after, limit });
    const listed = { ...options, projection: { sealedMemories: 0 } };
    const found = await guarded(() => this.#deliveries.find<InboundDeliveryDocument>(filter, listed).toArray());
    return found.map(toDelivery);
  }

  async findDelivery(organizationId: string, key: string): Promise<InboundDelivery | undefined> {
    const found = await guarded(() => this.#deliveries.findOne({ _id: key, org: organizationId }));
    return found ? toDelivery(found) : undefined;
  }

  async endDelivery(delivery: InboundDelivery): Promise<boolean> {
    const { _id, ...ended } = toDeliveryDocument(delivery.organizationId, delivery);
    const queued = { _id, org: delivery.organizationId, state: 'queued' } as const;
    const { matchedCount } = await guarded(() => this.#deliveries.replaceOne(queued, ended));
    return matchedCount === 1;
  }
}
