import type { Deps } from '../../deps.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { UnavailableError } from '../../errors.js';
import type { Embedder, EmbeddingPurpose } from '../../ports/embedder.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

const RETRY_AFTER_SECONDS = 60;

/**
 * Returns the dependencies with the embedder that made the organization's vectors: the configured one, or one of an
 * earlier release. Vectors of different embedders are never compared.
 *
 * @throws {UnavailableError} if another embedder made the vectors
 */
export function withEmbedderOf<D extends Pick<Deps, 'embedder'>>(deps: D, settings: OrganizationSettings): D {
  const embedder = embedderOf(deps, settings.embeddingFingerprint);
  if (embedder) return embedder === deps.embedder ? deps : { ...deps, embedder };
  throw refusal(deps, settings);
}

/** Returns the embedder that made vectors, the configured one or that of an earlier release, if any. */
export function embedderOf(
  { embedder }: Pick<Deps, 'embedder'>,
  fingerprint: string | undefined,
): Embedder | undefined {
  if (fingerprint === undefined) return embedder;
  return [embedder, ...(embedder.former ?? [])].find((known) => known.fingerprint === fingerprint);
}

function refusal({ embedder }: Pick<Deps, 'embedder'>, { embeddingFingerprint }: OrganizationSettings): Error {
  return new UnavailableError(
    `This organization's memories were embedded with ${embeddingFingerprint} and the service is configured for ` +
      `${embedder.fingerprint}: restore the former configuration, or re-embed them with "npm run reembed"`,
    RETRY_AFTER_SECONDS,
  );
}

/** Checks the embedder in the unit, and binds the organization to it with its first vector. */
export async function claimEmbedder(deps: Pick<Deps, 'embedder'>, unit: UnitOfWork): Promise<void> {
  const settings = await unit.settings();
  const { embeddingFingerprint } = settings;
  if (embeddingFingerprint === undefined) {
    await unit.saveSettings({ ...settings, embeddingFingerprint: deps.embedder.fingerprint });
  } else if (embeddingFingerprint !== deps.embedder.fingerprint) {
    throw refusal(deps, settings);
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
