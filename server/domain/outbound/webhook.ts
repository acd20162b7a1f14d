import type { Microseconds } from '../timestamp.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import type { OutboundEventName } from './event.js';

/** An endpoint of a customer that is told of changes (section 6.2). Nothing is sent while it is not enabled. */
export type OutboundWebhook = OutboundEndpoint & OutboundState;

export interface OutboundEndpoint extends WebhookSecrets {
  /** UUID. */
  id: string;
  url: string;
  /** At least one. */
  events: readonly OutboundEventName[];
  /** The owner's own words, empty where there are none. */
  description: string;
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

/** Whether events are sent, and if not, since when and why. */
export type OutboundState = { enabled: true; disabled?: never } | { enabled: false; disabled: Disabling };

export interface Disabling {
  at: Microseconds;
  reason: DisabledReason;
}

/** `owner` disabled it, or its endpoint answered that it is `gone`. */
export type DisabledReason = 'owner' | 'gone';

/** The events that an endpoint takes are sent while it is enabled. */
export function listensTo({ events, enabled }: OutboundWebhook, event: OutboundEventName): boolean {
  return enabled && events.includes(event);
}

/** Disabled if `disabled` is given, else enabled. */
export function outboundState(disabled: Disabling | undefined): OutboundState {
  return disabled ? { enabled: false, disabled } : { enabled: true };
}

/** Disables a webhook if `disabled` is given, else enables it. */
export function switched(
  { enabled: _, disabled: __, ...endpoint }: OutboundWebhook,
  disabled?: Disabling,
): OutboundWebhook {
  return { ...endpoint, ...outboundState(disabled) };
}

/** The place that the secrets of a webhook are sealed for, so that they open for no other webhook. */
export function outboundSecretPlace(organizationId: string, webhookId: string): string {
  return `outbound|${organizationId}|${webhookId}`;
}
