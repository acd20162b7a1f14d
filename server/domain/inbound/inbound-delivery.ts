import type { Microseconds } from '../timestamp.js';

/**
 * `queued` until its job has ended; then `processed`, or `failed` if it is not retried. `ignored` if it contains
 * nothing to store.
 */
export type DeliveryState = 'queued' | 'processed' | 'ignored' | 'failed';

/** Number of memories in a delivery by their outcome. */
export interface DeliveryCounts {
  /** Created, updated, or already stored. */
  stored: number;
  /** Not stored: deleted by the organization, older than the stored state, or a near-duplicate of another memory. */
  skipped: number;
  /** Rejected by the content scan, by validation or by the monthly cap. */
  rejected: number;
  /** Beyond the limit of one delivery. */
  omitted: number;
}

/** A request of a sender with a valid signature. */
export interface InboundDelivery {
  /** UUID. */
  key: string;
  organizationId: string;
  webhookId: string;
  /** Id that the sender chose. */
  deliveryId: string;
  /** SHA-256 of the body, hex. */
  bodyHash: string;
  /** Name of the event in the sender's words. */
  event: string;
  state: DeliveryState;
  receivedAt: Microseconds;
  requestId: string;
  /** Time at which its state became final. */
  finishedAt?: Microseconds;
  /** Error code or error class of a failed delivery. Never contains content. */
  reason?: string;
  counts: DeliveryCounts;
  /** Memories to ingest, encrypted; removed when the state is final. */
  sealedMemories?: string;
}

/** Time during which a delivery is listed and its repetitions are detected. */
export const DELIVERIES_KEPT_US = 30 * 24 * 60 * 60 * 1_000_000;

/** Returns the place for which the memories of a delivery are encrypted. */
export function memoriesPlace({ organizationId, key }: Pick<InboundDelivery, 'organizationId' | 'key'>): string {
  return `inbound-delivery ${organizationId} ${key}`;
}
