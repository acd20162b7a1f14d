import type { Subscription } from '../domain/billing/subscription.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Reads of what the billing provider said (section 5.5). */
export interface SubscriptionStore {
  /** Every subscription of an organization, ended ones included, in no order. */
  of(organizationId: string): Promise<Subscription[]>;
}

/** The subscriptions of one organization, inside a unit of work. */
export interface SubscriptionUnit {
  all(): Promise<Subscription[]>;
  /** Takes the place of the one with the same id. */
  save(subscription: Subscription): Promise<void>;
  /** Remembers an event of the provider that is taken in now; false where it is remembered already. */
  recordEvent(eventId: string, at: Microseconds): Promise<boolean>;
  /** Forgets events that were taken in earlier, the earliest first, at most so many. */
  forgetEvents(before: Microseconds, limit: number): Promise<void>;
}
