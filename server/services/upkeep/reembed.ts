import type { Deps } from '../../deps.js';
import type { Memory } from '../../domain/memory/memory.js';
import { embedderOf } from '../memories/embedding.js';

const PAGE_SIZE = 64;

/** An organization whose vectors another embedder than the configured one made. */
export interface EmbeddedOtherwise {
  organizationId: string;
  fingerprint: string;
  /** True if the service still has that embedder, of an earlier release. If not, it rejects writes and searches. */
  isServed: boolean;
}

type ReembedDeps = Pick<Deps, 'store' | 'embedder'>;

/** Returns the organizations whose vectors another embedder than the configured one made. */
export async function organizationsEmbeddedOtherwise({ store, embedder }: ReembedDeps): Promise<EmbeddedOtherwise[]> {
  const found = [];
  for (const organizationId of await store.accounts.organizationIds()) {
    const fingerprint = (await store.accounts.settings(organizationId))?.embeddingFingerprint;
    if (fingerprint === undefined || fingerprint === embedder.fingerprint) continue;
    found.push({ organizationId, fingerprint, isServed: embedderOf({ embedder }, fingerprint) !== undefined });
  }
  return found;
}

/**
 * Rebuilds every vector of an organization with the configured embedder, also those of deleted memories. Nothing else
 * of a memory changes. It resumes an interrupted run.
 * Until it ends, services without the former embedder reject vector operations of the organization. Services that
 * have it do not; what they write meanwhile is rebuilt too.
 *
 * @returns how many vectors were rebuilt
 * @throws {EmbeddingUnavailableError} with the vectors rebuilt so far kept
 */
export async function reembed(
  deps: ReembedDeps,
  organizationId: string,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  let done = 0;
  const reembedAll = async () => {
    for await (const count of pagesReembedded(deps, organizationId)) {
      done += count;
      onProgress(done);
    }
  };
  await reembedAll();
  await deps.store.transact(organizationId, async (unit) => {
    await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: deps.embedder.fingerprint });
  });
  // Rebuilds what a service with another embedder stored before the settings changed. From here on it is rejected.
  await reembedAll();
  return done;
}

async function* pagesReembedded({ store, embedder }: ReembedDeps, organizationId: string): AsyncGenerator<number> {
  for (;;) {
    const page = await store.memories.findEmbeddedOtherwise(organizationId, embedder.fingerprint, PAGE_SIZE);
    if (page.length === 0) return;
    yield await reembedPage({ store, embedder }, organizationId, page);
  }
}

/** Returns how many vectors were rebuilt. Memories whose content changed meanwhile are found again. */
async function reembedPage(
  { store, embedder }: ReembedDeps,
  organizationId: string,
  page: readonly Pick<Memory, 'id' | 'content'>[],
): Promise<number> {
  const vectors = await embedder.embed(
    page.map(({ content }) => content),
    'document',
  );
  return store.transact(organizationId, async (unit) => {
    await unit.expect?.({ ids: page.map(({ id }) => id) });
    let done = 0;
    for (const [at, { id, content }] of page.entries()) {
      const vector = vectors[at];
      if (!vector || (await unit.findById(id))?.content !== content) continue;
      await unit.replaceEmbedding(id, vector, embedder.fingerprint);
      done += 1;
    }
    return done;
  });
}
