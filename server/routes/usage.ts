import { formatTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type {
  GetUsageData,
  GetUsageResponses,
  ListDailyUsageData,
  ListDailyUsageResponses,
} from '../http/contract/wire.js';
import * as usage from '../services/billing/usage.js';

export const getUsage: Route<GetUsageData, GetUsageResponses> = async ({ caller }, deps) => {
  const { period, ingest, search, storage } = await usage.reportUsage(deps, caller);
  return {
    status: 200,
    body: {
      period: { startsAt: formatTimestamp(period.startsAt), endsAt: formatTimestamp(period.endsAt) },
      ingest: presentMetered(ingest),
      search: presentMetered(search),
      storage: presentMetered(storage),
    },
  };
};

export const listDailyUsage: Route<ListDailyUsageData, ListDailyUsageResponses, 'limit'> = async (
  { caller, query },
  deps,
) => {
  const days = await usage.reportDays(deps, caller, query.limit);
  return { status: 200, body: { days } };
};

function presentMetered({ used, cap }: usage.MeteredUsage): { used: number; cap: number | null } {
  return { used, cap: cap ?? null };
}
