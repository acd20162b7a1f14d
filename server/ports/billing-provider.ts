import type { Subscription } from '../domain/billing/subscription.js';

/** Reads the events in which the payment provider reports subscriptions (section 5.5). */
export interface BillingProvider {
  /**
   * Verifies and reads an event.
   *
   * @param body exact bytes of the request
   * @param signature value of the header `Stripe-Signature`
   * @throws {ForgedEventError} if the signature is missing, wrong or too old
   * @throws {MalformedEventError} if the signature is valid and the body is not an event
   */
  readEvent(body: Buffer, signature: string): BillingEvent;
}

export interface BillingEvent {
  id: string;
  /** Undefined if the event is not about a subscription of an organization. */
  change: { organizationId: string; subscription: Subscription } | undefined;
}

export class ForgedEventError extends Error {
  override name = 'ForgedEventError';
}

export class MalformedEventError extends Error {
  override name = 'MalformedEventError';
}
