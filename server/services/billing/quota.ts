import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type Plan, usesSubscriptions } from '../../domain/billing/plan.js';
import { effectiveSubscription, isLive, type Subscription } from '../../domain/billing/subscription.js';
import { calendarMonth, monthFrom, type UsagePeriod } from '../../domain/billing/usage-period.js';
import { UnavailableError } from '../../errors.js';

const RETRY_AFTER_SECONDS = 300;

type QuotaDeps = Pick<Deps, 'store' | 'now' | 'billing'>;

/** An organization, with its subscriptions if they were read with the caller. */
export type Customer = Pick<Caller, 'organizationId' | 'subscriptions'>;

/** Caps of an organization in the current period. */
export interface Quota {
  period: UsagePeriod;
  /** Undefined if there is no cap. */
  ingestCap: number | undefined;
  searchCap: number | undefined;
  /** Bytes stored, whatever the period. */
  storageCap: number | undefined;
}

/**
 * Returns the caps of an organization's plan and their period: that of the subscription, or else the calendar month
 * (section 8). Reads nothing if the service has no plans and does not enforce billing.
 *
 * @throws {UnavailableError} if no plan has the price of an active subscription
 */
export async function quotaOf(deps: QuotaDeps, caller: Customer): Promise<Quota> {
  const subscription = await subscriptionOf(deps, caller);
  const plan = assertPlanKnown(deps, subscription);
  return {
    period: periodOf(deps, subscription),
    ingestCap: plan?.ingestPerMonth,
    searchCap: plan?.searchPerMonth,
    storageCap: plan?.storageBytes,
  };
}

/**
 * Returns the plan of a subscription. Undefined without a subscription, and if it has ended and no plan has its
 * price.
 *
 * @throws {UnavailableError} if no plan has the price of an active subscription
 */
export function assertPlanKnown(deps: Pick<Deps, 'billing'>, subscription: Subscription | undefined): Plan | undefined {
  const plan = subscription && planOf(deps, subscription);
  if (!subscription || plan || !isLive(subscription)) return plan;
  throw new UnavailableError(
    'No plan has the price of this organization’s subscription, so no quota can be applied: ' +
      'the operator must add it to SERVICE_PLANS',
    RETRY_AFTER_SECONDS,
  );
}

/** Returns the subscription that counts. Undefined if there is none, or billing is not in use. */
export async function subscriptionOf(
  deps: QuotaDeps,
  { organizationId, subscriptions }: Customer,
): Promise<Subscription | undefined> {
  if (!usesSubscriptions(deps.billing)) return undefined;
  return effectiveSubscription(subscriptions ?? (await deps.store.subscriptions.of(organizationId)));
}

/** Returns the storage cap of an organization's plan. Undefined if there is no cap, or the plan is not known. */
export async function storageQuota(deps: QuotaDeps, caller: Customer): Promise<Pick<Quota, 'storageCap'>> {
  const subscription = await subscriptionOf(deps, caller);
  return { storageCap: (subscription && planOf(deps, subscription))?.storageBytes };
}

/** Returns the plan of the first price that has one. */
export function planOf({ billing }: Pick<Deps, 'billing'>, { priceIds }: Subscription): Plan | undefined {
  const priceId = priceIds.find((each) => billing.plans.has(each));
  return priceId === undefined ? undefined : billing.plans.get(priceId);
}

/** Returns the current period of usage. */
export function periodOf({ now }: Pick<Deps, 'now'>, subscription: Subscription | undefined): UsagePeriod {
  return subscription ? monthFrom(subscription.anchorAt, now()) : calendarMonth(now());
}
