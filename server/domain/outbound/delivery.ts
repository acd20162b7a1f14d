import type { Microseconds } from '../timestamp.js';
import type { DeliveredEventName } from './event.js';

/** One event for one endpoint. */
export interface OutboundDelivery {
  /** UUID, the same in every attempt, so that endpoints can detect repeated attempts. */
  id: string;
  webhookId: string;
  event: DeliveredEventName;
  /** Absent for a test event. */
  memoryId?: string;
  /** JSON that is signed and sent. */
  body: string;
  status: DeliveryStatus;
  /** Attempts since creation or the last redelivery. */
  attempts: number;
  createdAt: Microseconds;
  /** Earliest time of the next attempt. Set on pending deliveries that have failed. */
  nextAttemptAt?: Microseconds;
  lastAttempt?: AttemptResult;
  /** The latest attempts, oldest first. Those of earlier releases are missing. */
  attemptLog: readonly DeliveryAttempt[];
}

/** A delivery as lists return it. */
export type ListedDelivery = Omit<OutboundDelivery, 'body' | 'attemptLog'>;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Result of an attempt: an HTTP status, or a failure without a response. */
export interface AttemptResult {
  /** Time of the end of the attempt. */
  at: Microseconds;
  status?: number;
  failure?: DeliveryFailure;
}

/** An attempt as its delivery keeps it. */
export interface DeliveryAttempt extends AttemptResult {
  /** Absent if nothing was sent. Exact to a microsecond. */
  durationMs?: number;
  /** Start of the response, from `answerExcerpt`. It counts as content, so logs never contain it. */
  answer?: string;
}

/** Attempts that a delivery keeps: those of four redeliveries after its first four. */
export const MAX_KEPT_ATTEMPTS = 20;

/** Adds an attempt to a delivery. */
export function withAttempt(delivery: OutboundDelivery, attempt: DeliveryAttempt): OutboundDelivery {
  const { durationMs: _, answer: __, ...lastAttempt } = attempt;
  return { ...delivery, lastAttempt, attemptLog: [...delivery.attemptLog, attempt].slice(-MAX_KEPT_ATTEMPTS) };
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
