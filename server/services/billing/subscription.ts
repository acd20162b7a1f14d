import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Plan } from '../../domain/billing/plan.js';
import { customerOf, effectiveSubscription, isLive, type Subscription } from '../../domain/billing/subscription.js';
import { assertOwner } from '../access/owner.js';
import { planOf } from './quota.js';

interface SubscriptionReport {
  /** True if writes need a subscription in this deployment. */
  enforced: boolean;
  /** True if the organization may write now. */
  entitled: boolean;
  subscription: Subscription | undefined;
  /** Undefined if there is no subscription, or no plan has its price. */
  plan: Plan | undefined;
  /** True if the customer portal can be opened. */
  portal: boolean;
}

/** Returns the subscription of the organization and what it allows (sections 5.4 and 5.5). */
export async function reportSubscription(
  deps: Pick<Deps, 'store' | 'billing' | 'customerPortal'>,
  caller: Caller,
): Promise<SubscriptionReport> {
  await assertOwner(deps, caller);
  const { enforced, configured } = deps.billing;
  const all = await deps.store.subscriptions.of(caller.organizationId);
  const subscription = effectiveSubscription(all);
  return {
    enforced,
    entitled: !enforced || (configured && subscription !== undefined && isLive(subscription)),
    subscription,
    plan: subscription && planOf(deps, subscription),
    portal: deps.customerPortal !== undefined && customerOf(all) !== undefined,
  };
}
