import Stripe from 'stripe';
import type { Microseconds } from '../../domain/timestamp.js';
import {
  type BillingEvent,
  type BillingProvider,
  ForgedEventError,
  MalformedEventError,
} from '../../ports/billing-provider.js';
import { toSubscriptionChange } from './subscription-event.js';

/** The tolerance that the provider recommends for different clocks and slow networks. */
const TOLERANCE_SECONDS = 300;

/** Reads the webhook events of Stripe. Makes no network calls. */
export class StripeBillingProvider implements BillingProvider {
  readonly #webhookSecret: string;
  readonly #now: () => Microseconds;

  constructor(webhookSecret: string, now: () => Microseconds) {
    this.#webhookSecret = webhookSecret;
    this.#now = now;
  }

  readEvent(body: Buffer, signature: string): BillingEvent {
    const event = this.#verified(body, signature);
    if (typeof event?.id !== 'string') throw new MalformedEventError('the event has no id');
    return { id: event.id, change: toSubscriptionChange(event) };
  }

  /** Returns the signed payload, which may be any JSON. */
  #verified(body: Buffer, signature: string): Stripe.Event | null {
    const receivedAt = Math.floor(this.#now() / 1000);
    try {
      const { webhooks } = Stripe;
      return webhooks.constructEvent(body, signature, this.#webhookSecret, TOLERANCE_SECONDS, undefined, receivedAt);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
        throw new ForgedEventError('the signature is not the provider’s', { cause: error });
      }
      throw new MalformedEventError('the body is not an event', { cause: error });
    }
  }
}
