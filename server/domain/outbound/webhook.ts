import type { Microseconds } from '../timestamp.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import type { OutboundEventName } from './event.js';

/** An endpoint of a customer that receives events (section 6.2). While it is disabled, nothing is sent. */
export type OutboundWebhook = OutboundEndpoint & OutboundState;

export interface OutboundEndpoint extends WebhookSecrets {
  /** UUID. */
  id: string;
  url: string;
  /** At least one. */
  events: readonly OutboundEventName[];
  /** Text by the owner; may be empty. */
  description: string;
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

/** State of a webhook. If it is disabled, since when and why. */
export type OutboundState = { enabled: true; disabled?: never } | { enabled: false; disabled: Disabling };

export interface Disabling {
  at: Microseconds;
  reason: DisabledReason;
}

/** `owner`: an owner disabled it. `gone`: the endpoint returned 410. */
export type DisabledReason = 'owner' | 'gone';

/** Reports if an event is sent to a webhook. */
export function listensTo({ events, enabled }: OutboundWebhook, event: OutboundEventName): boolean {
  return enabled && events.includes(event);
}

/** Returns the disabled state if `disabled` is given, otherwise the enabled one. */
export function outboundState(disabled: Disabling | undefined): OutboundState {
  return disabled ? { enabled: false, disabled } : { enabled: true };
}

/** Disables a webhook if `disabled` is given, otherwise enables it. */
export function switched(
  { enabled: _, disabled: __, ...endpoint }: OutboundWebhook,
  disabled?: Disabling,
): OutboundWebhook {
  return { ...endpoint, ...outboundState(disabled) };
}

/** Returns the place for which the secrets of a webhook are encrypted, so that no other webhook can use them. */
export function outboundSecretPlace(organizationId: string, webhookId: string): string {
  return `outbound|${organizationId}|${webhookId}`;
}
