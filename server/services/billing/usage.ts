import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { type DailyUsage, lastDays, unused } from '../../domain/billing/usage-day.js';
import type { UsagePeriod } from '../../domain/billing/usage-period.js';
import { assertOwner } from '../access/owner.js';
import { periodOf, planOf, subscriptionOf } from './quota.js';

export interface MeteredUsage {
  used: number;
  /** Undefined if there is no cap, or none is known. */
  cap: number | undefined;
}

interface UsageReport {
  period: UsagePeriod;
  ingest: MeteredUsage;
  search: MeteredUsage;
  /** Bytes of active memories, whatever the period. */
  storage: MeteredUsage;
}

/**
 * Returns what the organization has used of its monthly caps (section 8). If no plan has its price, it returns usage
 * without caps.
 */
export async function reportUsage(deps: Pick<Deps, 'store' | 'now' | 'billing'>, caller: Caller): Promise<UsageReport> {
  await assertOwner(deps, caller);
  const subscription = await subscriptionOf(deps, caller);
  const plan = subscription && planOf(deps, subscription);
  const period = periodOf(deps, subscription);
  const { organizationId } = caller;
  const { usage } = deps.store;
  const [used, storedBytes] = await Promise.all([
    usage.read(organizationId, period.key),
    usage.storedBytes(organizationId),
  ]);
  return {
    period,
    ingest: { used: used.ingest, cap: plan?.ingestPerMonth },
    search: { used: used.search, cap: plan?.searchPerMonth },
    storage: { used: storedBytes, cap: plan?.storageBytes },
  };
}

/** Returns the use of each of the last `count` days, the oldest first. Days without use are included. */
export async function reportDays(
  deps: Pick<Deps, 'store' | 'now'>,
  caller: Caller,
  count: number,
): Promise<DailyUsage[]> {
  await assertOwner(deps, caller);
  const days = lastDays(deps.now(), count);
  const found = await deps.store.usage.days(caller.organizationId, days[0] ?? '');
  const byDay = new Map(found.map((usage) => [usage.day, usage]));
  return days.map((day) => byDay.get(day) ?? unused(day));
}
