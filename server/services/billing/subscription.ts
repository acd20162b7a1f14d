import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Plan } from '../../domain/billing/plan.js';
import { effectiveSubscription, isLive, type Subscription } from '../../domain/billing/subscription.js';
import { assertOwner } from '../access/owner.js';
import { planOf } from './quota.js';

interface SubscriptionReport {
  /** Whether writes need a subscription here. */
  enforced: boolean;
  /** Whether the organization may write now. */
  entitled: boolean;
  subscription: Subscription | undefined;
  /** Undefined where there is no subscription, or its price is no plan's. */
  plan: Plan | undefined;
}

/**
 * What the organization pays for and what that gives it (sections 5.4 and 5.5).
 *
 * @throws {ForbiddenError} `owner_required` when the caller's user is no owner
 */
export async function reportSubscription(
  deps: Pick<Deps, 'store' | 'billing'>,
  caller: Caller,
): Promise<SubscriptionReport> {
  await assertOwner(deps, caller);
  const { enforced, configured } = deps.billing;
  const subscription = effectiveSubscription(await deps.store.subscriptions.of(caller.organizationId));
  return {
    enforced,
    entitled: !enforced || (configured && subscription !== undefined && isLive(subscription)),
    subscription,
    plan: subscription && planOf(deps, subscription),
  };
}
