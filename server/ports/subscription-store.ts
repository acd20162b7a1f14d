import type { Subscription } from '../domain/billing/subscription.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Reads the subscriptions that the billing provider reported (section 5.5). */
export interface SubscriptionStore {
  /** Returns every subscription of an organization, ended or not, in no particular order. */
  of(organizationId: string): Promise<Subscription[]>;
}

/** Reads and writes of subscriptions in one unit of work. */
export interface SubscriptionUnit {
  all(): Promise<Subscription[]>;
  /** Inserts a subscription, or replaces the one with the same id. */
  save(subscription: Subscription): Promise<void>;
  /** Records that an event of the provider was processed. Returns false if it is already recorded. */
  recordEvent(eventId: string, at: Microseconds): Promise<boolean>;
  /** Deletes at most `limit` records of events that were processed before a time, the earliest first. */
  forgetEvents(before: Microseconds, limit: number): Promise<void>;
}
