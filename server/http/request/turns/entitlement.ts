import type { Deps } from '../../../deps.js';
import type { Caller } from '../../../domain/account/caller.js';
import { assertEntitled } from '../../../services/billing/entitlement.js';
import type { Operation } from '../../contract/contract.js';

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
  caller: Caller | undefined,
): Promise<void> {
  if (caller) await assertEntitled(deps, caller, { entitlement: needsEntitlement, plan: isMetered });
}
