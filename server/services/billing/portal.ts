import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { customerOf } from '../../domain/billing/subscription.js';
import { ConflictError, UnavailableError } from '../../errors.js';
import { PortalUnavailableError, UnknownCustomerError } from '../../ports/customer-portal.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { recordAudit } from '../audit/record-audit.js';

const RETRY_AFTER_SECONDS = 30;

type PortalDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'access' | 'customerPortal' | 'logger'>;

/**
 * Returns a link to the customer portal of the billing provider, where the organization's subscription is managed.
 *
 * @throws {ConflictError} `billing_portal_unavailable`
 * @throws {UnavailableError} if the provider does not make one
 */
export async function linkToPortal(deps: PortalDeps, caller: Caller): Promise<string> {
  await assertOwner(deps, caller);
  const url = await openPortal(deps, caller);
  await transactAsOwner(deps, caller, (unit) =>
    recordAudit(deps, unit, caller, { action: 'subscription.portal', metadata: {} }),
  );
  return url;
}

async function openPortal(deps: PortalDeps, { organizationId, requestId }: Caller): Promise<string> {
  const { store, access, customerPortal, logger } = deps;
  if (!customerPortal) {
    throw noPortal('This deployment has no billing provider: subscriptions are managed outside of it');
  }
  const customerId = customerOf(await store.subscriptions.of(organizationId));
  if (customerId === undefined) throw unknownCustomer();
  const { publicUrl } = access;
  const returnUrl = publicUrl === undefined ? undefined : `${publicUrl}/o/${organizationId}/usage`;
  try {
    return await customerPortal.open(customerId, returnUrl);
  } catch (error) {
    if (error instanceof UnknownCustomerError) throw unknownCustomer();
    if (!(error instanceof PortalUnavailableError)) throw error;
    logger.error({ requestId, err: error }, 'the billing provider made no link to its portal');
    throw new UnavailableError('The billing provider cannot make a link now: try again', RETRY_AFTER_SECONDS, error);
  }
}

function unknownCustomer(): ConflictError {
  return noPortal(
    'The billing provider has not reported a customer for this organization: take out a subscription first',
  );
}

function noPortal(message: string): ConflictError {
  return new ConflictError('billing_portal_unavailable', message);
}
