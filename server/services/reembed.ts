import type { Deps } from '../deps.js';

const PAGE = 64;

/** Organizations whose vectors another embedder made. */
export async function organizationsEmbeddedOtherwise({
  store,
  embedder,
}: Pick<Deps, 'store' | 'embedder'>): Promise<{ organizationId: string; fingerprint: string }[]> {
  const found = [];
  for (const organizationId of await store.accounts.organizationIds()) {
    const fingerprint = (await store.accounts.settings(organizationId))?.embeddingFingerprint;
    if (fingerprint !== undefined && fingerprint !== embedder.fingerprint) found.push({ organizationId, fingerprint });
  }
  return found;
}

/**
 * Makes every vector of an organization anew with the configured embedder,
 * soft-deleted memories included. Nothing else of a memory changes. Goes on
 * where an interrupted run stopped; the organization's vector operations are
 * refused until it is through.
 *
 * @returns how many vectors were made
 * @throws {EmbeddingUnavailableError} with what was done so far kept
 */
export async function reembed(
  { store, embedder }: Pick<Deps, 'store' | 'embedder'>,
  organizationId: string,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  let done = 0;
  for (;;) {
    const page = await store.memories.findEmbeddedOtherwise(organizationId, embedder.fingerprint, PAGE);
    if (page.length === 0) break;

    const vectors = await embedder.embed(
      page.map(({ content }) => content),
      'document',
    );
    await store.transact(organizationId, async (unit) => {
      for (const [at, { id }] of page.entries()) {
        const vector = vectors[at];
        if (vector) await unit.replaceEmbedding(id, vector, embedder.fingerprint);
      }
    });
    done += page.length;
    onProgress(done);
  }
  await store.transact(organizationId, async (unit) => {
    await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: embedder.fingerprint });
  });
  return done;
}
