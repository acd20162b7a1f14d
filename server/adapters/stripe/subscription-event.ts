import type Stripe from 'stripe';
import type { Subscription } from '../../domain/billing/subscription.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { type BillingEvent, MalformedEventError } from '../../ports/billing-provider.js';

const SUBSCRIPTION_EVENT = 'customer.subscription.';

/** A subscription in any format of the provider. Later versions send the end of the period in the items. */
type SentSubscription = Omit<Partial<Stripe.Subscription>, 'items'> & {
  current_period_end?: number;
  items?: { data?: { price?: { id?: unknown }; current_period_end?: number }[] };
};

/**
 * Returns the subscription change that an event reports. Returns undefined for other events, and for subscriptions
 * whose metadata names no organization.
 *
 * @throws {MalformedEventError}
 */
export function toSubscriptionChange({ type, created, data }: Stripe.Event): BillingEvent['change'] {
  if (!isText(type)) throw new MalformedEventError('the event has no type');
  if (!type.startsWith(SUBSCRIPTION_EVENT)) return undefined;
  const sent = (data?.object ?? {}) as SentSubscription;
  const organizationId = sent.metadata?.organizationId;
  if (!isText(organizationId)) return undefined;
  return { organizationId: organizationId.toLowerCase(), subscription: toSubscription(type, created, sent) };
}

function toSubscription(type: string, created: number, sent: SentSubscription): Subscription {
  const { id, status, billing_cycle_anchor: anchor, trial_end: trialEnd, cancel_at_period_end: cancels } = sent;
  if (!isText(id) || !isText(status) || !isSeconds(anchor) || !isSeconds(created)) {
    throw new MalformedEventError('the subscription lacks its id, status, billing_cycle_anchor or time');
  }
  const items = sent.items?.data ?? [];
  const priceIds = items.map(({ price }) => price?.id).filter(isText);
  const customerId = typeof sent.customer === 'string' ? sent.customer : sent.customer?.id;
  const periodEnd = sent.current_period_end ?? items[0]?.current_period_end;
  return {
    id,
    status,
    priceIds,
    ...(isText(customerId) && { customerId }),
    anchorAt: toMicroseconds(anchor),
    ...(isSeconds(periodEnd) && { periodEndsAt: toMicroseconds(periodEnd) }),
    ...(isSeconds(trialEnd) && { trialEndsAt: toMicroseconds(trialEnd) }),
    cancelAtPeriodEnd: cancels === true,
    changedAt: toMicroseconds(created),
    changeRank: rankOf(type),
  };
}

/** Orders events of one second by which must have happened first. */
function rankOf(type: string): number {
  if (type === `${SUBSCRIPTION_EVENT}created`) return 0;
  return type === `${SUBSCRIPTION_EVENT}deleted` ? 2 : 1;
}

function toMicroseconds(seconds: number): Microseconds {
  return seconds * 1_000_000;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < 10_000_000_000;
}
