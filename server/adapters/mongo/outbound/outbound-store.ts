import type { OutboundDelivery } from '../../../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { PageQuery } from '../../../domain/page.js';
import type { DeliveryQuery, OutboundStore } from '../../../ports/outbound-store.js';
import type { Collections } from '../engine/collections.js';
import { partOf } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { page } from '../engine/paging.js';
import { toWebhook } from './outbound-documents.js';

export class MongoOutboundStore implements OutboundStore {
  readonly #webhooks: Collections['outboundWebhooks'];
  readonly #deliveries: Collections['outboundDeliveries'];

  constructor({ outboundWebhooks, outboundDeliveries }: Collections) {
    this.#webhooks = outboundWebhooks;
    this.#deliveries = outboundDeliveries;
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
    const found = await guarded(() => this.#deliveries.findOne({ _id: deliveryId, org: organizationId }));
    return found ? partOf(found) : undefined;
  }

  async listDeliveries(organizationId: string, query: DeliveryQuery): Promise<OutboundDelivery[]> {
    const { webhookId, status, after, limit } = query;
    const scope = { org: organizationId, webhookId, ...(status !== undefined && { status }) };
    const { filter, options } = page(scope, { time: 'createdAt', direction: -1, after, limit });
    const found = await guarded(() => this.#deliveries.find(filter, options).toArray());
    return found.map((document) => partOf(document));
  }
}
