import type { Microseconds } from '../timestamp.js';
import type { WebhookSecrets } from '../webhook-secrets.js';

/** The two kinds of senders (section 4.14). */
export type InboundKind = 'codehost' | 'tracker';

export type InboundEvent = 'push' | 'issues' | 'Issue' | 'Comment';

/** What each kind of sender can tell of; a registration chooses among them. */
export const INBOUND_EVENTS: Readonly<Record<InboundKind, readonly InboundEvent[]>> = {
  codehost: ['push', 'issues'],
  tracker: ['Issue', 'Comment'],
};

/** A sender that an owner let in. */
export interface InboundWebhook extends WebhookSecrets {
  /** UUID; part of the address that the sender posts to. */
  id: string;
  organizationId: string;
  kind: InboundKind;
  name: string;
  /** At least one, all of its kind. */
  events: readonly InboundEvent[];
  /** Deliveries are accepted only while this is true. */
  enabled: boolean;
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

/** The place that the secrets of a webhook are sealed for, so that they open for no other webhook. */
export function inboundSecretPlace(organizationId: string, webhookId: string): string {
  return `inbound-webhook ${organizationId} ${webhookId}`;
}
