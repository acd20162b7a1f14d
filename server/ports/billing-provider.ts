import type { Subscription } from '../domain/billing/subscription.js';

/** Who takes the payments, as far as it tells of subscriptions (section 5.5). */
export interface BillingProvider {
  /**
   * Reads an event that the provider sent.
   *
   * @param body as it was sent, byte by byte
   * @param signature what the provider put into the header `Stripe-Signature`
   * @throws {ForgedEventError} unless the provider signed exactly this, not long ago
   * @throws {MalformedEventError} when it did and this is still no event
   */
  readEvent(body: Buffer, signature: string): BillingEvent;
}

export interface BillingEvent {
  id: string;
  /** Undefined where the event is not about a subscription of an organization. */
  change: { organizationId: string; subscription: Subscription } | undefined;
}

/** The signature is missing, wrong or too old. */
export class ForgedEventError extends Error {
  override name = 'ForgedEventError';
}

/** Properly signed, and not to be understood. */
export class MalformedEventError extends Error {
  override name = 'MalformedEventError';
}
