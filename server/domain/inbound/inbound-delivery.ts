import type { Microseconds } from '../timestamp.js';

/**
 * `queued` until its job has ended; then `processed`, or `failed` where
 * nothing more is tried. `ignored` are deliveries there is nothing to store of.
 */
export type DeliveryState = 'queued' | 'processed' | 'ignored' | 'failed';

/** What became of the memories that a delivery brought. */
export interface DeliveryCounts {
  /** Created, updated, or there already. */
  stored: number;
  /** Left alone: deleted by the organization, older than what is stored, or repeating another memory. */
  skipped: number;
  /** Refused by the content scan or the rules of memories, or over the monthly cap. */
  rejected: number;
  /** Beyond what one delivery may bring. */
  omitted: number;
}

/** One request of a sender whose signature was right. */
export interface InboundDelivery {
  /** UUID. */
  key: string;
  organizationId: string;
  webhookId: string;
  /** The sender's own id of it. */
  deliveryId: string;
  /** SHA-256 of the body, hex. */
  bodyHash: string;
  /** As the sender names it. */
  event: string;
  state: DeliveryState;
  receivedAt: Microseconds;
  /** The request that brought it. */
  requestId: string;
  /** When its state became final. */
  finishedAt?: Microseconds;
  /** An error code, or the class of an error, why it failed. Never content. */
  reason?: string;
  counts: DeliveryCounts;
  /** What is to be ingested, sealed; gone once the state is final. */
  sealedMemories?: string;
}

/** So long is a delivery known again, and listed. */
export const DELIVERIES_KEPT_US = 30 * 24 * 60 * 60 * 1_000_000;

/** What the memories of a delivery are sealed for. */
export function memoriesPlace({ organizationId, key }: Pick<InboundDelivery, 'organizationId' | 'key'>): string {
  return `inbound-delivery ${organizationId} ${key}`;
}
