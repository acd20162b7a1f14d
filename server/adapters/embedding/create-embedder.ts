import type { Embedder } from '../../ports/embedder.js';
import type { TextWork } from '../../ports/text-work.js';
import { LOCAL_DIMENSIONS, LOCAL_MODELS, LocalEmbedder } from './local/local-embedder.js';
import type { RemoteDeps } from './remote-providers.js';

export interface EmbeddingConfig {
  provider: 'local' | 'voyage' | 'openai';
  /** The provider's default unless given. */
  model?: string;
  /** The model's own unless given. */
  dimensions?: number;
  apiKey?: string;
  /** Up to and without `/embeddings`; the provider's own unless given. */
  baseUrl?: string;
  /** Cosine; the provider's default unless given. */
  semanticDedupeThreshold?: number;
}

/**
 * Makes the embedder that the configuration names. The local one does its work by `texts`.
 *
 * @throws {Error} naming the environment variable to set, where the configuration cannot work
 */
export async function createEmbedder(
  config: EmbeddingConfig,
  { texts, ...deps }: RemoteDeps & { texts?: TextWork } = {},
): Promise<Embedder> {
  const { semanticDedupeThreshold: threshold, baseUrl } = config;
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1)) {
    throw new Error('set SERVICE_SEMANTIC_DEDUPE_THRESHOLD to a number from 0 to 1');
  }
  if (baseUrl !== undefined && !(/^https?:\/\//.test(baseUrl) && URL.canParse(baseUrl))) {
    throw new Error('set SERVICE_EMBEDDING_BASE_URL to an http or https URL');
  }
  if (config.provider === 'local') return createLocal(config, texts);
  // The local provider needs none of the library that guards against slow and failing ones.
  const { createOpenAi, createVoyage } = await import('./remote-providers.js');
  switch (config.provider) {
    case 'voyage':
      return createVoyage(config, deps);
    case 'openai':
      return createOpenAi(config, deps);
    default:
      throw new Error('set SERVICE_EMBEDDING_PROVIDER to local, voyage or openai');
  }
}

/**
 * Returns an embedder that also has former ones: a configured one, and those of the local provider, which need no
 * configuration.
 */
export function withFormer(embedder: Embedder, former: Embedder | undefined, texts?: TextWork): Embedder {
  const local = new LocalEmbedder({}, texts);
  const { fingerprint, dimensions, semanticDedupeThreshold, relevanceCurve, sharedResources } = embedder;
  return {
    fingerprint,
    dimensions,
    semanticDedupeThreshold,
    ...(relevanceCurve && { relevanceCurve }),
    ...(sharedResources && { sharedResources }),
    formerOf: (wanted) => (former?.fingerprint === wanted ? former : local.formerOf(wanted)),
    embed: (...given) => embedder.embed(...given),
    ...(embedder.embedChunks && { embedChunks: embedder.embedChunks.bind(embedder) }),
    ...(embedder.rerank && { rerank: embedder.rerank.bind(embedder) }),
    status: () => embedder.status(),
  };
}

function createLocal(
  { model = LOCAL_MODELS[0], dimensions, semanticDedupeThreshold }: EmbeddingConfig,
  texts: TextWork | undefined,
): Embedder {
  const { min, max } = LOCAL_DIMENSIONS;
  const name = LOCAL_MODELS.find((known) => known === model);
  if (!name) {
    throw new Error(`unset SERVICE_EMBEDDING_MODEL: the local provider has the models ${LOCAL_MODELS.join(' and ')}`);
  }
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions >= min && dimensions <= max)) {
    throw new Error(`set SERVICE_EMBEDDING_DIMENSIONS to an integer from ${min} to ${max}, or unset it`);
  }
  return new LocalEmbedder({ model: name, dimensions, semanticDedupeThreshold }, texts);
}
