import type { Plan } from '../domain/billing/plan.js';
import type { Subscription } from '../domain/billing/subscription.js';
import { formatTimestamp } from '../domain/timestamp.js';
import type { Route, SignedRoute } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  CreateBillingPortalLinkData,
  CreateBillingPortalLinkResponses,
  GetSubscriptionData,
  GetSubscriptionResponses,
  ReceiveBillingEventData,
  ReceiveBillingEventResponses,
} from '../http/contract/wire.js';
import * as billingEvents from '../services/billing/billing-events.js';
import * as portal from '../services/billing/portal.js';
import * as subscriptions from '../services/billing/subscription.js';

export const getSubscription: Route<GetSubscriptionData, GetSubscriptionResponses> = async ({ caller }, deps) => {
  const { enforced, entitled, subscription, plan, portal } = await subscriptions.reportSubscription(deps, caller);
  return {
    status: 200,
    body: {
      enforced,
      entitled,
      subscription: subscription ? presentSubscription(subscription) : null,
      plan: plan ? presentPlan(plan) : null,
      portal,
    },
  };
};

export const createBillingPortalLink: Route<CreateBillingPortalLinkData, CreateBillingPortalLinkResponses> = async (
  { caller },
  deps,
) => {
  return { status: 201, body: { url: await portal.linkToPortal(deps, caller) } };
};

export const receiveBillingEvent: SignedRoute<ReceiveBillingEventData, ReceiveBillingEventResponses> = async (
  { body, headers, origin },
  deps,
) => {
  const signature = headers['stripe-signature'];
  const outcome = await billingEvents.receiveBillingEvent(deps, {
    body,
    signature: typeof signature === 'string' ? signature : undefined,
    origin,
  });
  return { status: 200, body: { status: outcome } };
};

function presentSubscription(subscription: Subscription): wire.Subscription {
  const { id, status, priceIds, periodEndsAt, trialEndsAt, cancelAtPeriodEnd } = subscription;
  return {
    id,
    status,
    priceIds: [...priceIds],
    ...(periodEndsAt !== undefined && { periodEndsAt: formatTimestamp(periodEndsAt) }),
    ...(trialEndsAt !== undefined && { trialEndsAt: formatTimestamp(trialEndsAt) }),
    cancelAtPeriodEnd,
  };
}

function presentPlan({ name, ingestPerMonth, searchPerMonth, storageBytes }: Plan): wire.Plan {
  return {
    name,
    ingestPerMonth: ingestPerMonth ?? null,
    searchPerMonth: searchPerMonth ?? null,
    storageBytes: storageBytes ?? null,
  };
}
