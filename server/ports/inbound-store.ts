import type { InboundDelivery } from '../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../domain/inbound/inbound-webhook.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Committed registrations and deliveries of senders (sections 4.14 and 6.1). */
export interface InboundStore {
  /** Of whatever organization: it is what finds the scope. Undefined for malformed ids too. */
  findWebhook(webhookId: string): Promise<InboundWebhook | undefined>;

  /** Of one organization, by createdAt, the id breaking ties. */
  listWebhooks(organizationId: string, page: PageQuery): Promise<InboundWebhook[]>;

  /** Of one webhook, the one received last first, the key breaking ties. Without what is to be ingested. */
  listDeliveries(organizationId: string, webhookId: string, page: PageQuery): Promise<InboundDelivery[]>;

  findDelivery(organizationId: string, key: string): Promise<InboundDelivery | undefined>;
}

/** Writes of one unit of work, bound to its organization. Reads see what the unit wrote before. */
export interface InboundUnit {
  /** Undefined for malformed ids too. */
  findWebhook(webhookId: string): Promise<InboundWebhook | undefined>;
  countWebhooks(): Promise<number>;
  insertWebhook(webhook: InboundWebhook): Promise<void>;
  updateWebhook(webhook: InboundWebhook): Promise<void>;
  /** Deletes its deliveries as well. */
  deleteWebhook(webhookId: string): Promise<void>;

  /** The deliveries of a webhook with this id of the sender's or this body; at most one of each. */
  findRepeated(webhookId: string, deliveryId: string, bodyHash: string): Promise<InboundDelivery[]>;
  /** Whether at least so many deliveries of a webhook are queued. */
  hasQueued(webhookId: string, atLeast: number): Promise<boolean>;
  /** No other delivery of the webhook may have its `deliveryId` or its `bodyHash`. */
  insertDelivery(delivery: InboundDelivery): Promise<void>;
  /** Stores how a queued delivery ended. @returns whether it was queued still; nothing is changed otherwise */
  endDelivery(delivery: InboundDelivery): Promise<boolean>;
  /**
   * Exchanges the sealed text of a delivery for the same one under another key, unless it is gone or another by now.
   *
   * @returns whether it was exchanged
   */
  rewrapDelivery(key: string, from: string, to: string): Promise<boolean>;
  deleteDelivery(key: string): Promise<void>;
  /** Deletes at most `limit` deliveries of a webhook that were received before a time; queued ones stay. */
  deleteDeliveries(webhookId: string, before: Microseconds, limit: number): Promise<void>;
}
