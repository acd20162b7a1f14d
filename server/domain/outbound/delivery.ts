import type { Microseconds } from '../timestamp.js';
import type { OutboundEventName } from './event.js';

/** One event for one endpoint. */
export interface OutboundDelivery {
  /** UUID, the same in every attempt, so that endpoints can detect repeated attempts. */
  id: string;
  webhookId: string;
  event: OutboundEventName;
  memoryId: string;
  /** JSON that is signed and sent. */
  body: string;
  status: DeliveryStatus;
  /** Attempts since creation or the last redelivery. */
  attempts: number;
  createdAt: Microseconds;
  /** Earliest time of the next attempt. Set on pending deliveries that have failed. */
  nextAttemptAt?: Microseconds;
  lastAttempt?: DeliveryAttempt;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Result of an attempt: an HTTP status, or a failure without a response. */
export interface DeliveryAttempt {
  at: Microseconds;
  status?: number;
  failure?: DeliveryFailure;
}

/** Reason for a missing status: the attempt failed, or none was made. */
export type DeliveryFailure =
  | SendFailure
  /** The webhook was disabled while the delivery waited. */
  | 'disabled'
  /** Repeated faults of the service. */
  | 'internal';

/** Reason why an attempt got no valid response. */
export type SendFailure =
  /** The host does not resolve. */
  | 'unresolved'
  /** The host resolves to an address that is not allowed. */
  | 'address_refused'
  /** The connection could not be opened, or was lost. */
  | 'connection'
  /** The certificate is expired, for another host, or not trusted. */
  | 'tls'
  /** The headers of the response did not arrive in time. */
  | 'timeout'
  /** The response is not HTTP. */
  | 'protocol';
