import type { PublicRoute } from '../http/contract/route.js';
import type { GetMetricsData, GetMetricsResponses } from '../http/contract/wire.js';
import { isForwarded } from '../http/request/address/origin.js';
import * as metricsAccess from '../services/upkeep/metrics-access.js';

export const getMetrics: PublicRoute<GetMetricsData, GetMetricsResponses> = async ({ headers, origin }, deps) => {
  metricsAccess.assertMayReadMetrics(deps.metricsToken, {
    authorization: headers.authorization,
    address: isForwarded(headers) ? undefined : origin.ip,
  });
  return { status: 200, body: await deps.metrics.exposition() };
};
