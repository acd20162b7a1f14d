import type { Deps } from '../../../deps.js';
import type { Caller } from '../../../domain/account/caller.js';
import { assertEntitled } from '../../../services/billing/entitlement.js';
import type { Operation } from '../../contract/contract.js';

/** Reports if an operation needs an entitlement or a plan, so that {@link checkEntitlement} may reject it. */
export function needsPayment({ needsEntitlement, isMetered }: Operation): boolean {
  return needsEntitlement || isMetered;
}

/**
 * Rejects operations that the organization has not paid for. Reads never need an entitlement, and only metered
 * operations need a plan (section 5.5).
 *
 * @throws {EntitlementRequiredError}
 * @throws {UnavailableError} if entitlement or plan cannot be determined
 */
export async function checkEntitlement(
  deps: Pick<Deps, 'store' | 'now' | 'billing'>,
  { needsEntitlement, isMetered }: Operation,
  caller: Caller,
): Promise<void> {
  await assertEntitled(deps, caller, { entitlement: needsEntitlement, plan: isMetered });
}
