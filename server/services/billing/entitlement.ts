import type { Deps } from '../../deps.js';
import { isLive, type Subscription } from '../../domain/billing/subscription.js';
import { EntitlementRequiredError, UnavailableError } from '../../errors.js';
import { assertPlanKnown, type Customer, subscriptionOf } from './quota.js';

const RETRY_AFTER_SECONDS = 300;

/** Requirements of an operation on the subscription. */
interface Needs {
  /** True for a write. It needs an entitlement if billing is enforced. */
  entitlement: boolean;
  /** True if the operation counts against a monthly cap. */
  plan: boolean;
}

const OF_AN_INGEST: Needs = { entitlement: true, plan: true };

/**
 * Rejects operations that the organization has not paid for (section 5.5), before anything else of them is checked.
 * Every entry point must call it, including webhooks, which ingest.
 *
 * @throws {EntitlementRequiredError} for a write without an active subscription or trial
 * @throws {UnavailableError} if entitlement or plan cannot be determined
 */
export async function assertEntitled(
  deps: Pick<Deps, 'store' | 'now' | 'billing'>,
  caller: Customer,
  needs: Needs = OF_AN_INGEST,
): Promise<void> {
  const mustPay = needs.entitlement && deps.billing.enforced;
  if (mustPay) assertConfigured(deps);
  if (!mustPay && !needs.plan) return;
  const subscription = await subscriptionOf(deps, caller);
  if (mustPay) assertPaid(subscription);
  if (needs.plan) assertPlanKnown(deps, subscription);
}

function assertConfigured({ billing }: Pick<Deps, 'billing'>): void {
  if (billing.configured) return;
  throw new UnavailableError(
    'Billing is enforced but its provider is not configured, so writes are rejected: the operator must set BILLING_SECRET',
    RETRY_AFTER_SECONDS,
  );
}

function assertPaid(subscription: Subscription | undefined): void {
  if (!subscription || !isLive(subscription)) throw new EntitlementRequiredError();
}
