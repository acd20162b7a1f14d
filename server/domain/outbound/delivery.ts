import type { Microseconds } from '../timestamp.js';
import type { OutboundEventName } from './event.js';

/** One event on its way to one endpoint. */
export interface OutboundDelivery {
  /** UUID, the same in every attempt: by it receivers know a repetition. */
  id: string;
  webhookId: string;
  event: OutboundEventName;
  memoryId: string;
  /** JSON, as it is signed and sent. */
  body: string;
  status: DeliveryStatus;
  /** Made since it was last asked for. */
  attempts: number;
  createdAt: Microseconds;
  /** Of a pending one that failed before: not before then. */
  nextAttemptAt?: Microseconds;
  lastAttempt?: DeliveryAttempt;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** How an attempt ended: with a status of HTTP, or without an answer. */
export interface DeliveryAttempt {
  at: Microseconds;
  status?: number;
  failure?: DeliveryFailure;
}

/** Why there is no status: sending failed, or nothing was sent. */
export type DeliveryFailure =
  | SendFailure
  /** The webhook was disabled while the delivery waited. */
  | 'disabled'
  /** A fault of the service, again and again. */
  | 'internal';

/** Why an attempt to send got no answer that counts. */
export type SendFailure =
  /** The host does not resolve. */
  | 'unresolved'
  /** The host resolves to an address that must not be sent to. */
  | 'address_refused'
  /** There is no connection, or it broke. */
  | 'connection'
  /** The connection is not secure: the certificate is expired, another host's or nobody's. */
  | 'tls'
  /** The head of the answer did not arrive in time. */
  | 'timeout'
  /** The answer is not HTTP. */
  | 'protocol';
