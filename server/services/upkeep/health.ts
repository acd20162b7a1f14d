import type { Deps } from '../../deps.js';
import { StoreFullError, StoreUnavailableError } from '../../ports/store-errors.js';

interface Check {
  status: 'ok' | 'degraded' | 'down';
  detail?: string;
  latencyMs?: number;
  /** Memory of the vector indexes that the store holds. */
  indexBytes?: number;
  /** Organizations whose index is in memory. */
  indexedOrganizations?: number;
}

interface Readiness {
  status: 'ok' | 'degraded' | 'down';
  checks: { store: Check; embedding: Check };
}

/**
 * Reports if requests should be sent to this process. It is `down` without the store and during a start or a
 * shutdown, and `degraded` while some content cannot be embedded.
 */
export async function readiness(
  deps: Pick<Deps, 'store' | 'embedder'>,
  process: { starting: boolean; stopping: boolean; embeddedOtherwise: number },
): Promise<Readiness> {
  const store = passing(process) ?? (await checkStore(deps));
  const checks = { store, embedding: checkEmbedding(deps, process.embeddedOtherwise) };
  if (checks.store.status !== 'ok') return { status: 'down', checks };
  return { status: checks.embedding.status === 'ok' ? 'ok' : 'degraded', checks };
}

/** Returns what keeps a process from being ready for a moment. */
function passing({ starting, stopping }: { starting: boolean; stopping: boolean }): Check | undefined {
  if (stopping) return { status: 'down', detail: 'the service is shutting down' };
  return starting ? { status: 'down', detail: 'the service is starting' } : undefined;
}

/** A probe that takes longer counts as failed, so that the caller always gets an answer. */
const PROBE_DEADLINE_MS = 5_000;

async function checkStore({ store }: Pick<Deps, 'store'>): Promise<Check> {
  const start = performance.now();
  try {
    const detail = await withinDeadline(store.probe());
    const latencyMs = Math.round((performance.now() - start) * 100) / 100;
    const use = store.indexUse?.();
    const about = { latencyMs, ...(detail !== undefined && { detail }) };
    return { status: 'ok', ...about, ...(use && { indexBytes: use.bytes, indexedOrganizations: use.organizations }) };
  } catch (error) {
    if (error instanceof ProbeTimeoutError) return { status: 'down', detail: error.message };
    if (!(error instanceof StoreUnavailableError)) throw error;
    const isFull = error instanceof StoreFullError;
    return { status: 'down', detail: isFull ? 'the disk is full: writes are refused' : 'the store cannot be written' };
  }
}

class ProbeTimeoutError extends Error {
  override name = 'ProbeTimeoutError';
  override message = `the store does not answer within ${PROBE_DEADLINE_MS / 1_000} s`;
}

async function withinDeadline<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProbeTimeoutError()), PROBE_DEADLINE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function checkEmbedding({ embedder }: Pick<Deps, 'embedder'>, embeddedOtherwise: number): Check {
  const status = embedder.status();
  if (status !== 'ok') return { status, detail: 'the embedding provider does not answer' };
  if (embeddedOtherwise === 0) return { status };
  const organizations = embeddedOtherwise === 1 ? '1 organization' : `${embeddedOtherwise} organizations`;
  return { status: 'degraded', detail: `${organizations} must be re-embedded` };
}
