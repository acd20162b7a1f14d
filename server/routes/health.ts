import type { PublicRoute } from '../http/contract/route.js';
import type {
  GetLivenessData,
  GetLivenessResponses,
  GetReadinessData,
  GetReadinessErrors,
  GetReadinessResponses,
} from '../http/contract/wire.js';
import * as health from '../services/upkeep/health.js';

export const getLiveness: PublicRoute<GetLivenessData, GetLivenessResponses> = async () => {
  return { status: 200, body: { status: 'ok' } };
};

export const getReadiness: PublicRoute<GetReadinessData, GetReadinessResponses & GetReadinessErrors> = async (
  _request,
  deps,
) => {
  const found = await health.readiness(deps, deps.lifecycle);
  return { status: found.status === 'down' ? 503 : 200, body: found };
};
