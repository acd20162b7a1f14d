import type { Deps } from '../deps.js';
import { restAsLong } from '../domain/fairness/rest.js';
import type { Microseconds } from '../domain/timestamp.js';
import { EmbeddingUnavailableError } from '../ports/embedder.js';
import type { JobHandler } from '../ports/job-queue.js';
import { goOnReembedding, type ReembeddingStep } from '../services/upkeep/reembed.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The state of a re-embedding after the last attempt of this process. */
interface Progress {
  after: Microseconds;
  /** Memories that have no vector of the new embedder. */
  left: number;
}

/** Moves organizations to another embedder, some pages an attempt. A job never ends before its move does. */
export function reembedJob(deps: Deps): JobHandler<'reembed'> {
  const progress = new Map<string, Progress>();

  const goOn = async (organizationId: string): Promise<ReembeddingStep> => {
    const before = progress.get(organizationId);
    const step = await goOnReembedding(deps, organizationId, before?.after, restAsLong);
    if (step.after === undefined) {
      progress.delete(organizationId);
      deps.metrics.reembedding(organizationId, 0);
      return step;
    }
    const left = before
      ? before.left - step.made
      : (await deps.store.memories.countUnembedded(organizationId)).unembedded;
    progress.set(organizationId, { after: step.after, left });
    deps.metrics.reembedding(organizationId, left);
    return step;
  };

  return {
    concurrency: 1,
    faultRetryDelaysMs: [SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS],
    jitter: 0.2,

    async run({ organizationId }) {
      try {
        const { retryAfterMs } = await goOn(organizationId);
        return retryAfterMs === undefined ? undefined : { deferMs: retryAfterMs };
      } catch (error) {
        if (!(error instanceof EmbeddingUnavailableError)) throw error;
        return { deferMs: error.retryAfterSeconds * SECOND_MS };
      }
    },

    giveUp: ({ organizationId }) =>
      deps.store.transact(organizationId, (unit) =>
        unit.enqueue({ name: 'reembed', data: { organizationId }, runAt: deps.now() + HOUR_MS * 1_000 }),
      ),
  };
}
