import { createHmac } from 'node:crypto';
import type { Deps } from '../deps.js';
import type { Plan } from '../domain/plan.js';
import type { Subscription } from '../domain/subscription.js';

/** The price of `SMALL_PLAN`. */
export const SMALL_PRICE = 'price_small';

export const SMALL_PLAN: Plan = { name: 'Small', ingestPerMonth: 3, searchPerMonth: 3 };

/** Billing as a deployment has it that takes writes of paying organizations alone. */
export const ENFORCED: Deps['billing'] = {
  enforced: true,
  configured: true,
  plans: new Map([[SMALL_PRICE, SMALL_PLAN]]),
};

/** Plans that bound what their organizations use, without asking anybody for one. */
export function capped(plan: Partial<Plan>): Deps['billing'] {
  return { enforced: false, configured: false, plans: new Map([[SMALL_PRICE, { ...SMALL_PLAN, ...plan }]]) };
}

/** Gives an organization a subscription; one that is active and to `SMALL_PRICE`, unless said otherwise. */
export async function subscribe(
  { store }: Pick<Deps, 'store'>,
  organizationId: string,
  given: Partial<Subscription> = {},
): Promise<void> {
  const subscription: Subscription = {
    id: 'sub_test',
    status: 'active',
    priceIds: [SMALL_PRICE],
    anchorAt: 1_700_000_000_000_000,
    cancelAtPeriodEnd: false,
    changedAt: 1_700_000_000_000_000,
    changeRank: 1,
    ...given,
  };
  await store.transact(organizationId, (unit) => unit.subscriptions.save(subscription));
}

/** The header `Stripe-Signature` of a body, as the provider's documentation has it. */
export function stripeSignature(body: string, secret: string, atSeconds: number): string {
  const digest = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex');
  return `t=${atSeconds},v1=${digest}`;
}
