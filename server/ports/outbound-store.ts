import type { DeliveryStatus, OutboundDelivery } from '../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../domain/outbound/webhook.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Committed outbound webhooks and their deliveries (section 6.2), each method scoped to one organization. */
export interface OutboundStore {
  /** Undefined for malformed ids too. */
  findWebhook(organizationId: string, webhookId: string): Promise<OutboundWebhook | undefined>;
  /** In the order of creation, the id breaking ties. */
  listWebhooks(organizationId: string, page: PageQuery): Promise<OutboundWebhook[]>;

  /** Undefined for malformed ids too. */
  findDelivery(organizationId: string, deliveryId: string): Promise<OutboundDelivery | undefined>;
  /** The newest first, the id breaking ties downwards. */
  listDeliveries(organizationId: string, query: DeliveryQuery): Promise<OutboundDelivery[]>;
}

/** A delivery without the body, which it shares with those of the same event. */
export type NewDelivery = Omit<OutboundDelivery, 'body'>;

export interface DeliveryQuery extends PageQuery {
  webhookId: string;
  status?: DeliveryStatus | undefined;
}

/** What of outbound webhooks one unit of work reads and writes. */
export interface OutboundUnit {
  /** All of the organization, disabled ones included, in the order of creation. */
  webhooks(): Promise<OutboundWebhook[]>;
  insertWebhook(webhook: OutboundWebhook): Promise<void>;
  /** Replaces a stored webhook with its new state. */
  updateWebhook(webhook: OutboundWebhook): Promise<void>;
  /** Removes a webhook and its deliveries. */
  deleteWebhook(webhookId: string): Promise<void>;

  findDelivery(deliveryId: string): Promise<OutboundDelivery | undefined>;
  /** Stores the deliveries of one event with one copy of its body, which is removed with the last of them. */
  insertDeliveries(body: string, deliveries: readonly NewDelivery[]): Promise<void>;
  /** Replaces the state of a stored delivery. What is sent stays as it is. */
  updateDelivery(delivery: OutboundDelivery): Promise<void>;
  /** Removes every delivery of a memory, and returns those of them that were pending. */
  deleteDeliveriesOf(memoryId: string): Promise<OutboundDelivery[]>;
  /** Removes some deliveries that were made before then and are not pending; as many as `limit` at most. */
  deleteDeliveries(before: Microseconds, limit: number): Promise<void>;
}
