import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type Plan, usesSubscriptions } from '../../domain/billing/plan.js';
import { effectiveSubscription, isLive, type Subscription } from '../../domain/billing/subscription.js';
import { calendarMonth, monthFrom, type UsagePeriod } from '../../domain/billing/usage-period.js';
import { UnavailableError } from '../../errors.js';

const RETRY_AFTER_SECONDS = 300;

type QuotaDeps = Pick<Deps, 'store' | 'now' | 'billing'>;

/** An organization, and its subscriptions where they were read with the caller. */
export type Customer = Pick<Caller, 'organizationId' | 'subscriptions'>;

/** What an organization may use in the present period. */
export interface Quota {
  period: UsagePeriod;
  /** Undefined where there is no cap. */
  ingestCap: number | undefined;
  searchCap: number | undefined;
  /** Bytes at any time. */
  storageCap: number | undefined;
}

/**
 * The caps of an organization by its plan, and the period that they are for:
 * the subscription's, else the calendar month (part 8). Where the service
 * knows no plans and enforces nothing, nothing is looked up.
 *
 * @throws {UnavailableError} when the price of a live subscription is no plan's
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
 * The plan of a subscription; undefined without one, and where it has ended
 * and nothing is known of its price any more.
 *
 * @throws {UnavailableError} when the price of a live subscription is no plan's
 */
export function assertPlanKnown(deps: Pick<Deps, 'billing'>, subscription: Subscription | undefined): Plan | undefined {
  const plan = subscription && planOf(deps, subscription);
  if (!subscription || plan || !isLive(subscription)) return plan;
  throw new UnavailableError(
    'The price of this organization’s subscription is not a known plan, so no quota can be applied: ' +
      'the operator adds it to SERVICE_PLANS',
    RETRY_AFTER_SECONDS,
  );
}

/** The subscription that counts. Undefined where there is none, and where billing is not in use. */
export async function subscriptionOf(
  deps: QuotaDeps,
  { organizationId, subscriptions }: Customer,
): Promise<Subscription | undefined> {
  if (!usesSubscriptions(deps.billing)) return undefined;
  return effectiveSubscription(subscriptions ?? (await deps.store.subscriptions.of(organizationId)));
}

/** The storage of an organization's plan. Undefined where there is no cap, and where the plan is not known. */
export async function storageQuota(deps: QuotaDeps, caller: Customer): Promise<Pick<Quota, 'storageCap'>> {
  const subscription = await subscriptionOf(deps, caller);
  return { storageCap: (subscription && planOf(deps, subscription))?.storageBytes };
}

/** The plan of the first price that is known. */
export function planOf({ billing }: Pick<Deps, 'billing'>, { priceIds }: Subscription): Plan | undefined {
  const priceId = priceIds.find((each) => billing.plans.has(each));
  return priceId === undefined ? undefined : billing.plans.get(priceId);
}

/** The period that usage is counted in at this moment. */
export function periodOf({ now }: Pick<Deps, 'now'>, subscription: Subscription | undefined): UsagePeriod {
  return subscription ? monthFrom(subscription.anchorAt, now()) : calendarMonth(now());
}
