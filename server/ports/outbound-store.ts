import type { DeliveryStatus, ListedDelivery, OutboundDelivery } from '../domain/outbound/delivery.js';
import type { OutboundWebhook } from '../domain/outbound/webhook.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/**
 * Reads the committed outbound webhooks and deliveries of one organization, and stores the results of attempts
 * (section 6.2).
 */
export interface OutboundStore {
  /** Returns undefined for unknown and malformed ids. */
  findWebhook(organizationId: string, webhookId: string): Promise<OutboundWebhook | undefined>;
  /** Lists webhooks by createdAt; the id breaks ties. */
  listWebhooks(organizationId: string, page: PageQuery): Promise<OutboundWebhook[]>;

  /** Returns undefined for unknown and malformed ids. */
  findDelivery(organizationId: string, deliveryId: string): Promise<OutboundDelivery | undefined>;
  /** Lists deliveries, the newest first; the highest id comes first in a tie. */
  listDeliveries(organizationId: string, query: DeliveryQuery): Promise<ListedDelivery[]>;
  /** Returns when the oldest delivery that is not pending was created. */
  oldestEnded(organizationId: string): Promise<Microseconds | undefined>;
  /**
   * Replaces the state of a pending delivery, except its body. It is durable when the promise resolves, and does not
   * wait for units of work: no change feed contains deliveries, so their results need no order.
   *
   * @param before as it was read
   * @returns false, and changes nothing, if the delivery is gone, has ended, or has had another attempt since `before`
   */
  storeAttempt(organizationId: string, before: OutboundDelivery, after: OutboundDelivery): Promise<boolean>;
}

/** A delivery before its first attempt. The body is separate, since all deliveries of one event share it. */
export type NewDelivery = ListedDelivery;

export interface DeliveryQuery extends PageQuery {
  webhookId: string;
  status?: DeliveryStatus | undefined;
  /** Only deliveries created at or after this time. */
  since?: Microseconds | undefined;
}

/** The failed deliveries to send again. */
export interface RestartQuery {
  webhookId: string;
  since: Microseconds;
  limit: number;
}

export interface Restarted {
  /** Ids in the order of creation. */
  ids: string[];
  /** True if more failed deliveries match. */
  isMore: boolean;
}

/** Reads and writes of outbound webhooks in one unit of work. */
export interface OutboundUnit {
  /** Returns all webhooks of the organization, disabled or not, in the order of creation. */
  webhooks(): Promise<OutboundWebhook[]>;
  insertWebhook(webhook: OutboundWebhook): Promise<void>;
  updateWebhook(webhook: OutboundWebhook): Promise<void>;
  /** Deletes a webhook and its deliveries. */
  deleteWebhook(webhookId: string): Promise<void>;

  findDelivery(deliveryId: string): Promise<OutboundDelivery | undefined>;
  /** Stores the deliveries of one event and one copy of its body. The body is deleted with the last of them. */
  insertDeliveries(body: string, deliveries: readonly NewDelivery[]): Promise<void>;
  /** Replaces the state of a delivery, except its body. */
  updateDelivery(delivery: OutboundDelivery): Promise<void>;
  /**
   * Makes at most `limit` failed deliveries pending without attempts, except test events, beginning with the oldest. The
   * id breaks ties.
   */
  restartFailed(query: RestartQuery): Promise<Restarted>;
  /** Deletes every delivery about a memory, and returns those that were pending. */
  deleteDeliveriesOf(memoryId: string): Promise<OutboundDelivery[]>;
  /** Deletes at most `limit` deliveries that were created before a time and are not pending. */
  deleteDeliveries(before: Microseconds, limit: number): Promise<void>;
}
