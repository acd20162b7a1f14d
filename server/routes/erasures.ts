import type { Erasure } from '../domain/memory/erasure.js';
import { formatTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  EraseSubjectData,
  EraseSubjectResponses,
  GetSubjectErasureData,
  GetSubjectErasureResponses,
} from '../http/contract/wire.js';
import * as erasures from '../services/removal/erasures.js';

export const eraseSubject: Route<EraseSubjectData, EraseSubjectResponses> = async ({ caller, body }, deps) => {
  const erasure = await erasures.requestErasure(deps, caller, body.subjectKey);
  return { status: 202, body: presentErasure(erasure) };
};

export const getSubjectErasure: Route<GetSubjectErasureData, GetSubjectErasureResponses> = async (
  { caller, path },
  deps,
) => {
  const erasure = await erasures.getErasure(deps, caller, path.erasureId);
  return { status: 200, body: presentErasure(erasure) };
};

function presentErasure({ id, status, subjectKey, counts, digest, ...times }: Erasure): wire.SubjectErasure {
  return {
    id,
    status,
    ...(subjectKey !== undefined && { subjectKey }),
    requestedAt: formatTimestamp(times.requestedAt),
    ...(times.finishedAt !== undefined && { finishedAt: formatTimestamp(times.finishedAt) }),
    counts,
    digest,
  };
}
