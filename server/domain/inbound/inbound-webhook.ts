import type { Microseconds } from '../timestamp.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import type { Refusals } from './refusals.js';

/** Kind of a sender (section 4.14). */
export type InboundKind = 'codehost' | 'tracker';

export type InboundEvent = 'push' | 'issues' | 'Issue' | 'Comment';

/** Events of each kind of sender, from which a webhook selects some. */
export const INBOUND_EVENTS: Readonly<Record<InboundKind, readonly InboundEvent[]>> = {
  codehost: ['push', 'issues'],
  tracker: ['Issue', 'Comment'],
};

/** A sender that an owner registered. */
export interface InboundWebhook extends WebhookSecrets {
  /** UUID; part of the URL to which the sender posts. */
  id: string;
  organizationId: string;
  kind: InboundKind;
  name: string;
  /** At least one event of its kind. */
  events: readonly InboundEvent[];
  /** Deliveries are accepted only while this is true. */
  enabled: boolean;
  createdAt: Microseconds;
  updatedAt: Microseconds;
  /** Absent if there was none. */
  refusals?: Refusals;
}

/** Returns the place for which the secrets of a webhook are encrypted, so that no other webhook can use them. */
export function inboundSecretPlace(organizationId: string, webhookId: string): string {
  return `inbound-webhook ${organizationId} ${webhookId}`;
}
