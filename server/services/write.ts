import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import type { Written } from '../domain/memory.js';
import { UnavailableError } from '../errors.js';
import { DuplicateMemoryError, type UnitOfWork } from '../ports/store.js';
import { NEEDS_EMBEDDING } from './apply-ingest.js';
import type { Draft } from './draft.js';
import { embedDocument } from './embedding.js';

/** Rounds of looking and writing again when another process wrote the same in between. */
const MAX_ROUNDS = 4;

/**
 * Runs a write that may need the draft's vector. The vector is made before
 * the transaction, and only when the content is not stored already.
 *
 * @throws {UnavailableError} when other writers won every round
 */
export async function writeDraft(
  deps: Pick<Deps, 'store' | 'embedder'>,
  caller: Caller,
  draft: Draft,
  work: (unit: UnitOfWork, embedding: Float32Array | undefined) => Promise<Written | typeof NEEDS_EMBEDDING>,
): Promise<Written> {
  const { store } = deps;
  const stored = await store.memories.findActiveByContent(caller.organizationId, draft.subjectKey, draft.contentHash);
  let embedding = stored ? undefined : await embedDocument(deps, draft.content);

  return retryDuplicates(async () => {
    const written = await store.transact(caller.organizationId, (unit) => work(unit, embedding));
    if (written !== NEEDS_EMBEDDING) return written;

    embedding = await embedDocument(deps, draft.content);
    const second = await store.transact(caller.organizationId, (unit) => work(unit, embedding));
    if (second === NEEDS_EMBEDDING) throw new Error('a write asked for the vector that it was given');
    return second;
  });
}

/**
 * Runs a write again when the store refused it as a duplicate: what it
 * repeats is there to be found then.
 */
export async function retryDuplicates<T>(write: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DuplicateMemoryError)) throw error;
      if (round === MAX_ROUNDS) throw new UnavailableError('Too many writers of the same memory: try again', 1, error);
    }
  }
}
