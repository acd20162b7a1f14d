import type { Microseconds } from '../timestamp.js';
import type { OutboundEventName } from './event.js';

/** An endpoint of a customer that is told of changes (section 6.2). */
export interface OutboundWebhook {
  /** UUID. */
  id: string;
  url: string;
  /** At least one. */
  events: readonly OutboundEventName[];
  /** The owner's own words, empty where there are none. */
  description: string;
  /** Sealed for `secretPlace`. */
  secret: string;
  /** The one before, sealed too; signs beside the present one until then. */
  previousSecret?: { sealed: string; until: Microseconds };
  /** Present while nothing is sent: switched off by an owner, or by an endpoint that said it is gone. */
  disabled?: { at: Microseconds; reason: DisabledReason };
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

export type DisabledReason = 'owner' | 'gone';

/** The events that an endpoint takes are sent while it is not disabled. */
export function listensTo({ events, disabled }: OutboundWebhook, event: OutboundEventName): boolean {
  return disabled === undefined && events.includes(event);
}

/** What a webhook's secret is sealed for, so that it opens for no other one. */
export function secretPlace(organizationId: string, webhookId: string): string {
  return `outbound|${organizationId}|${webhookId}`;
}
