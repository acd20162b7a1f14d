import { isForwarded } from '../http/origin.js';
import type { PublicRoute } from '../http/route.js';
import type { GetMetricsData, GetMetricsResponses } from '../http/wire.js';
import { assertMayReadMetrics } from '../services/metrics-access.js';

export const getMetrics: PublicRoute<GetMetricsData, GetMetricsResponses> = async ({ headers, origin }, deps) => {
  assertMayReadMetrics(deps.metricsToken, {
    authorization: headers.authorization,
    address: isForwarded(headers) ? undefined : origin.ip,
  });
  return { status: 200, body: await deps.metrics.exposition() };
};
