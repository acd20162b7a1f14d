import type { Deps } from '../../deps.js';
import type { Memory } from '../../domain/memory/memory.js';
import { embedderOf } from '../memories/embedding.js';

const PAGE = 64;

/** An organization whose vectors another embedder than the configured one made. */
export interface EmbeddedOtherwise {
  organizationId: string;
  fingerprint: string;
  /** Whether the service has that embedder, of an earlier release. If not, writes and searches are refused. */
  isServed: boolean;
}

type ReembedDeps = Pick<Deps, 'store' | 'embedder'>;

/** Organizations whose vectors another embedder than the configured one made. */
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
 * Makes every vector of an organization anew with the configured embedder,
 * soft-deleted memories included. Nothing else of a memory changes. Goes on
 * where an interrupted run stopped. Until it is through, services that do not
 * have the former embedder refuse the organization's vector operations; the
 * others do not, and what they write meanwhile is made anew too.
 *
 * @returns how many vectors were made
 * @throws {EmbeddingUnavailableError} with what was done so far kept
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
  // What another embedder's service stored before these settings; from here on it is refused.
  await reembedAll();
  return done;
}

async function* pagesReembedded({ store, embedder }: ReembedDeps, organizationId: string): AsyncGenerator<number> {
  for (;;) {
    const page = await store.memories.findEmbeddedOtherwise(organizationId, embedder.fingerprint, PAGE);
    if (page.length === 0) return;
    yield await reembedPage({ store, embedder }, organizationId, page);
  }
}

/** How many are done: those whose content has changed meanwhile are found again. */
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
