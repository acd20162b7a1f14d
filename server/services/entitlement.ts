import type { Deps } from '../deps.js';
import { isLive } from '../domain/subscription.js';
import { EntitlementRequiredError, UnavailableError } from '../errors.js';
import { quotaOf, subscriptionOf } from './quota.js';

const RETRY_AFTER_SECONDS = 300;

type EntitlementDeps = Pick<Deps, 'store' | 'now' | 'billing'>;

/**
 * What an ingest needs before anything else of it is looked at (section 5.5):
 * the right to write, and a plan to count it by. Every way in has to pass
 * here, webhooks included.
 *
 * @throws {EntitlementRequiredError}
 * @throws {UnavailableError} when entitlement or plan cannot be told
 */
export async function assertEntitled(deps: EntitlementDeps, organizationId: string): Promise<void> {
  await assertMayWrite(deps, organizationId);
  await assertPlanKnown(deps, organizationId);
}

/**
 * Lets writes pass where billing is not enforced, and else those of
 * organizations with an active subscription or trial.
 *
 * @throws {EntitlementRequiredError}
 * @throws {UnavailableError} when billing is enforced and the provider is not configured
 */
export async function assertMayWrite(deps: EntitlementDeps, organizationId: string): Promise<void> {
  const { enforced, configured } = deps.billing;
  if (!enforced) return;
  if (!configured) {
    throw new UnavailableError(
      'Billing is enforced but its provider is not configured, so writes are refused: the operator sets BILLING_SECRET',
      RETRY_AFTER_SECONDS,
    );
  }
  const subscription = await subscriptionOf(deps, organizationId);
  if (!subscription || !isLive(subscription)) throw new EntitlementRequiredError();
}

/** @throws {UnavailableError} when the price of a live subscription is no plan's, so that no quota can be applied */
export async function assertPlanKnown(deps: EntitlementDeps, organizationId: string): Promise<void> {
  await quotaOf(deps, organizationId);
}
