import type { Deps } from '../../deps.js';
import { dayOf } from '../../domain/billing/usage-day.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { QuotaExceededError } from '../../errors.js';
import { type Customer, quotaOf } from './quota.js';

/**
 * Runs a read that counts as one search of the month (section 5.5) if it succeeds. With a cap, the search is counted
 * before the read, and uncounted if the read fails. So no more searches than the cap succeed, however many run at
 * once.
 *
 * @throws {QuotaExceededError} if the cap is reached
 * @throws {UnavailableError} if no plan has the price of the organization's subscription
 */
export async function meteredRead<T>(
  deps: Pick<Deps, 'store' | 'now' | 'billing'>,
  caller: Customer,
  read: () => Promise<T>,
): Promise<T> {
  const { usage } = deps.store;
  const { organizationId } = caller;
  const { period, searchCap } = await quotaOf(deps, caller);
  if (searchCap === undefined) {
    const found = await read();
    usage.countSearch(organizationId, period.key);
    usage.countDaily(organizationId, dayOf(deps.now()), 'searched');
    return found;
  }
  if (!(await usage.takeSearch(organizationId, period.key, searchCap))) {
    throw new QuotaExceededError('searches', formatTimestamp(period.endsAt));
  }
  try {
    const found = await read();
    usage.countDaily(organizationId, dayOf(deps.now()), 'searched');
    return found;
  } catch (error) {
    await usage.giveBackSearch(organizationId, period.key);
    throw error;
  }
}
