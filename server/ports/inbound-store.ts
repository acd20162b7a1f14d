import type { DeliveryState, InboundDelivery } from '../domain/inbound/inbound-delivery.js';
import type { InboundWebhook } from '../domain/inbound/inbound-webhook.js';
import type { Refusals } from '../domain/inbound/refusals.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Reads committed inbound webhooks and their deliveries, and ends deliveries (sections 4.14 and 6.1). */
export interface InboundStore {
  /** Searches all organizations, to find the one of a request. Returns undefined for unknown and malformed ids. */
  findWebhook(webhookId: string): Promise<InboundWebhook | undefined>;

  /** Lists webhooks by createdAt; the id breaks ties. */
  listWebhooks(organizationId: string, page: PageQuery): Promise<InboundWebhook[]>;

  /** Lists deliveries without their memories to ingest, the last received first; the key breaks ties. */
  listDeliveries(organizationId: string, webhookId: string, query: InboundDeliveryQuery): Promise<InboundDelivery[]>;

  findDelivery(organizationId: string, key: string): Promise<InboundDelivery | undefined>;

  /**
   * Stores the final state of a delivery. It is durable when the promise resolves, and does not wait for units of work.
   *
   * @returns false, and changes nothing, unless the delivery is queued
   */
  endDelivery(delivery: InboundDelivery): Promise<boolean>;
}

export interface InboundDeliveryQuery extends PageQuery {
  state?: DeliveryState | undefined;
}

/** Reads and writes of one unit of work, in its organization. Reads include earlier writes of the unit. */
export interface InboundUnit {
  /** Returns undefined for unknown and malformed ids. */
  findWebhook(webhookId: string): Promise<InboundWebhook | undefined>;
  countWebhooks(): Promise<number>;
  insertWebhook(webhook: InboundWebhook): Promise<void>;
  updateWebhook(webhook: InboundWebhook): Promise<void>;
  /** Adds refusals to those of a webhook. Does nothing if there is no such webhook. */
  addRefusals(webhookId: string, refusals: Refusals): Promise<void>;
  /** Deletes a webhook and its deliveries. */
  deleteWebhook(webhookId: string): Promise<void>;

  /** Returns the deliveries with this id of the sender or this body, at most one of each. */
  findRepeated(webhookId: string, deliveryId: string, bodyHash: string): Promise<InboundDelivery[]>;
  /** Reports if at least `atLeast` deliveries of a webhook are queued. */
  hasQueued(webhookId: string, atLeast: number): Promise<boolean>;
  /** Requires that no other delivery of the webhook has the same `deliveryId` or `bodyHash`. */
  insertDelivery(delivery: InboundDelivery): Promise<void>;
  /**
   * Replaces the encrypted text of a delivery with the same text under another key.
   *
   * @returns false, with nothing changed, if the delivery is gone or its text is not `from`
   */
  rewrapDelivery(key: string, from: string, to: string): Promise<boolean>;
  deleteDelivery(key: string): Promise<void>;
  /** Deletes at most `limit` deliveries of a webhook that were received before a time and are not queued. */
  deleteDeliveries(webhookId: string, before: Microseconds, limit: number): Promise<void>;
}
