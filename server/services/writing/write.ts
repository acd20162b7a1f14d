import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { mayHaveFormerWords } from '../../domain/account/organization.js';
import type { Written } from '../../domain/memory/memory.js';
import { UnavailableError } from '../../errors.js';
import { DuplicateMemoryError } from '../../ports/store-errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { expectedCount, ingestsLeft } from '../billing/ingest-meter.js';
import type { Quota } from '../billing/quota.js';
import { embedDocument } from '../memories/embedding.js';
import { readSettings } from '../organization/settings.js';
import { type Draft, expectedWrite, type NewContent, repeatedBy } from './draft.js';

/**
 * Returned by a write whose content was not read and embedded for it: the memory that it seemed to repeat is gone, or
 * the organization switched to another embedder.
 */
export const NEEDS_EMBEDDING = Symbol('needs embedding');

/** Everything that writes of memories use. */
export type WriteDeps = Pick<
  Deps,
  'store' | 'embedder' | 'now' | 'newId' | 'limits' | 'contentScan' | 'billing' | 'texts'
>;

/** Rounds of embedding and writing, if another process wrote the same or switched the embedder meanwhile. */
const MAX_ROUNDS = 4;

/**
 * Writes a draft. Reads and embeds its content before the transaction, and only if it is not stored yet.
 *
 * @throws {UnavailableError} if other writers won every round
 */
export async function writeDraft(
  deps: Pick<Deps, 'store' | 'embedder' | 'texts'>,
  caller: Caller,
  draft: Draft,
  quota: Quota,
  work: (unit: UnitOfWork, made: NewContent | undefined) => Promise<Written | typeof NEEDS_EMBEDDING>,
): Promise<Written> {
  const { store } = deps;
  const { organizationId } = caller;
  const [stored] = await store.memories.areActive(organizationId, [repeatedBy(draft)]);
  // If the cap has nothing left, only a replay is accepted.
  const isNew = !stored && (await ingestsLeft(deps, organizationId, quota)) > 0;
  let made = isNew ? await makeContent(deps, caller, draft) : undefined;
  return writeEmbedding(
    () =>
      store.transact(organizationId, async (unit) => {
        await unit.expect?.({ writes: [expectedWrite(draft, made?.read)], ...expectedCount(quota) });
        return work(unit, made);
      }),
    async () => {
      made = await makeContent(deps, { organizationId }, draft);
    },
  );
}

async function makeContent(
  deps: Pick<Deps, 'store' | 'embedder' | 'texts'>,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  { content }: Draft,
): Promise<NewContent> {
  const settings = await readSettings(deps, caller);
  const read = await deps.texts.row(caller.organizationId).read(content, mayHaveFormerWords(settings));
  return { read, vectors: await embedDocument(deps, { ...caller, settings }, content) };
}

/**
 * Runs a write, and makes its vector with the current embedder if the transaction reports that it needs one.
 *
 * @throws {UnavailableError} if other writers won every round
 */
export async function writeEmbedding<T>(
  write: () => Promise<T | typeof NEEDS_EMBEDDING>,
  embed: () => Promise<void>,
): Promise<T> {
  return retryDuplicates(async () => {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const written = await write();
      if (written !== NEEDS_EMBEDDING) return written;
      await embed();
    }
    throw new UnavailableError('The embedder is being replaced: try again', 1);
  });
}

/** Retries a write that the store rejected as a duplicate. The retry finds the memory that it repeats. */
async function retryDuplicates<T>(write: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DuplicateMemoryError)) throw error;
      if (round === MAX_ROUNDS) throw new UnavailableError('Too many writers of the same memory: try again', 1, error);
    }
  }
}
