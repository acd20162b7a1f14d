import type {
  InboundDelivery,
  InboundEvent,
  InboundKind,
  OutboundAttempt,
  OutboundDelivery,
} from '@memory-service/sdk';

type Tone = 'neutral' | 'success' | 'warning' | 'danger' | 'accent';

export const KINDS: Readonly<Record<InboundKind, { title: string; sender: string; events: readonly InboundEvent[] }>> =
  {
    codehost: { title: 'Code host', sender: 'GitHub', events: ['push', 'issues'] },
    tracker: { title: 'Issue tracker', sender: 'Linear', events: ['Issue', 'Comment'] },
  };

export const OUTBOUND_EVENTS = ['memory.ingested', 'memory.updated', 'memory.deleted'] as const;

export const STATE_TONES: Readonly<Record<InboundDelivery['state'], Tone>> = {
  queued: 'accent',
  processed: 'success',
  ignored: 'neutral',
  failed: 'danger',
};

export const STATUS_TONES: Readonly<Record<OutboundDelivery['status'], Tone>> = {
  pending: 'accent',
  delivered: 'success',
  failed: 'danger',
};

export const REFUSAL_REASONS = {
  signature: 'the signature is not that of the body',
  disabled: 'the webhook is switched off',
  too_old: 'the event was signed more than five minutes ago',
  body: 'the body cannot be read',
} as const;

const FAILURES: Readonly<Record<NonNullable<OutboundAttempt['failure']>, string>> = {
  unresolved: 'The host does not resolve',
  address_refused: 'The host has no public address',
  connection: 'The connection failed',
  tls: 'The certificate is invalid',
  timeout: 'No response within 15 seconds',
  protocol: 'The response is not HTTP',
  disabled: 'The webhook was switched off',
  internal: 'The service had a fault',
};

/** Returns what an attempt ended with. */
export function resultOf({ status, failure }: Pick<OutboundAttempt, 'status' | 'failure'>): string {
  if (failure !== undefined) return FAILURES[failure];
  return status === undefined ? 'No response' : `HTTP ${status}`;
}
