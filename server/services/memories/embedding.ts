import type { Deps } from '../../deps.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { UnavailableError } from '../../errors.js';
import type { EmbeddingPurpose } from '../../ports/embedder.js';
import type { UnitOfWork } from '../../ports/store.js';

const RETRY_AFTER_SECONDS = 60;

/**
 * Rejects comparing vectors of different embedders.
 *
 * @throws {UnavailableError} if another embedder than the configured one made the organization's vectors
 */
export function assertSameEmbedder({ embedder }: Pick<Deps, 'embedder'>, settings: OrganizationSettings): void {
  const stored = settings.embeddingFingerprint;
  if (stored === undefined || stored === embedder.fingerprint) return;
  throw new UnavailableError(
    `This organization's memories were embedded with ${stored} and the service is configured for ` +
      `${embedder.fingerprint}: restore the former configuration, or re-embed them with "npm run reembed"`,
    RETRY_AFTER_SECONDS,
  );
}

/** Checks the embedder in the unit, and binds the organization to it with its first vector. */
export async function claimEmbedder(deps: Pick<Deps, 'embedder'>, unit: UnitOfWork): Promise<void> {
  const settings = await unit.settings();
  assertSameEmbedder(deps, settings);
  if (settings.embeddingFingerprint === undefined) {
    await unit.saveSettings({ ...settings, embeddingFingerprint: deps.embedder.fingerprint });
  }
}

export function embedDocument(
  deps: Pick<Deps, 'embedder'>,
  organizationId: string,
  content: string,
): Promise<Float32Array> {
  return embedOne(deps, organizationId, content, 'document');
}

/** Embeds a query, to be compared with documents. */
export function embedQuery(deps: Pick<Deps, 'embedder'>, organizationId: string, query: string): Promise<Float32Array> {
  return embedOne(deps, organizationId, query, 'query');
}

async function embedOne(
  { embedder }: Pick<Deps, 'embedder'>,
  organizationId: string,
  text: string,
  purpose: EmbeddingPurpose,
): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], purpose, organizationId);
  if (!vector) throw new Error('the embedder returned no vector');
  return vector;
}
