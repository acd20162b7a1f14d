import type { OutboundDelivery } from './delivery.js';

/** The headers that prove who sent an attempt, and when. */
export interface Signed {
  /** Value of `X-Service-Signature`. */
  signature: string;
  /** Seconds since the Unix epoch; undefined before the first attempt. */
  timestamp: number | undefined;
  /** Value of `webhook-signature`. */
  signatures: string;
}

/** Returns the headers of an attempt. */
export function requestHeaders(
  { id, event }: Pick<OutboundDelivery, 'id' | 'event'>,
  { signature, timestamp, signatures }: Signed,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'memory-service',
    'X-Service-Event': event,
    'X-Service-Signature': signature,
    'X-Service-Delivery': id,
    'webhook-id': id,
    ...(timestamp !== undefined && { 'webhook-timestamp': String(timestamp) }),
    'webhook-signature': signatures,
  };
}

/** Returns the headers of the latest attempt, or of the next one if none was sent, without the signatures. */
export function shownHeaders(delivery: OutboundDelivery): Record<string, string> {
  const sent = delivery.attemptLog.findLast(({ durationMs }) => durationMs !== undefined);
  const startedAt = sent && sent.at - Math.round((sent.durationMs ?? 0) * 1_000);
  const timestamp = startedAt === undefined ? undefined : secondsOf(startedAt);
  return requestHeaders(delivery, { signature: 'present', timestamp, signatures: 'present' });
}

/** Returns the value of `webhook-timestamp`. */
export function secondsOf(at: number): number {
  return Math.floor(at / 1_000_000);
}
