import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { OutboundWebhook } from '../../../domain/outbound/webhook.js';
import type { NewDelivery } from '../../../ports/outbound-store.js';
import type {
  Collections,
  OutboundDeliveryDocument,
  OutboundPayloadDocument,
  OutboundWebhookDocument,
} from '../engine/collections.js';
import { toStored } from '../engine/documents.js';
import { type PlannedWrites, planned } from '../engine/unit-writer.js';
import { toWebhook } from './outbound-documents.js';

type OutboundCollections = Pick<Collections, 'outboundDeliveries' | 'outboundPayloads'>;

/** The webhooks and the pending deliveries of a transaction. */
export class OutboundWrites {
  readonly #collections: OutboundCollections;
  readonly #org: string;
  /** The webhooks as the transaction sees them. Nobody else changes them while it holds its organization. */
  #known: readonly OutboundWebhook[] | undefined;
  /** Deliveries to write at the end, or before a read that might depend on them. */
  #deliveries: AnyBulkWriteOperation<OutboundDeliveryDocument>[] = [];
  #payloads: AnyBulkWriteOperation<OutboundPayloadDocument>[] = [];

  constructor(collections: OutboundCollections, org: string) {
    this.#collections = collections;
    this.#org = org;
  }

  /** True if some deliveries are not in the database yet. */
  get isPending(): boolean {
    return this.#deliveries.length > 0;
  }

  /** All webhooks of the organization. Undefined if they are not known. */
  get known(): readonly OutboundWebhook[] | undefined {
    return this.#known;
  }

  learn(stored: readonly OutboundWebhookDocument[]): void {
    this.#known ??= stored
      .map(toWebhook)
      .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  }

  /** Makes the next read of the webhooks go to the database. */
  forget(): void {
    this.#known = undefined;
  }

  add(body: string, deliveries: readonly NewDelivery[]): void {
    const payload = randomUUID();
    this.#payloads.push({ insertOne: { document: { _id: payload, org: this.#org, body } } });
    for (const delivery of deliveries) {
      this.#deliveries.push({ insertOne: { document: { ...toStored(this.#org, delivery), payload } } });
    }
  }

  /** Returns the pending bodies and deliveries, which the caller must write. */
  takePlanned(): PlannedWrites[] {
    const [deliveries, payloads] = [this.#deliveries, this.#payloads];
    this.#deliveries = [];
    this.#payloads = [];
    const { outboundDeliveries, outboundPayloads } = this.#collections;
    return [planned(outboundPayloads, payloads), planned(outboundDeliveries, deliveries)];
  }
}
