import type { Embedder } from '../../ports/embedder.js';
import { LOCAL_DIMENSIONS, LOCAL_MODEL, LocalEmbedder } from './local-embedder.js';
import { openAiCall } from './openai.js';
import { RemoteEmbedder } from './remote-embedder.js';
import { voyageCall } from './voyage.js';

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

interface EmbedderDeps {
  fetch?: typeof fetch;
  /** From 0 to 1, for the pauses between tries. */
  random?: () => number;
}

const VOYAGE_MODEL = 'voyage-3.5';
const VOYAGE_DIMENSIONS = new Map([
  ['voyage-code-2', 1_536],
  ['voyage-large-2', 1_536],
  ['voyage-3-lite', 512],
]);
const VOYAGE_USUAL_DIMENSIONS = 1_024;
/** The client runs models of this name on the machine, with packages that this service does not bring. */
const VOYAGE_LOCAL_MODEL = 'voyage-4-nano';

const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_MODEL = 'text-embedding-3-small';
const OPENAI_DIMENSIONS = new Map([
  ['text-embedding-3-small', 1_536],
  ['text-embedding-3-large', 3_072],
  ['text-embedding-ada-002', 1_536],
]);

const REMOTE_LIMITS = { semanticDedupeThreshold: 0.96, textsPerCall: 128, charactersPerCall: 120_000 };
/** Below the 32,000 of Voyage's models and the 8,191 of OpenAI's. */
const VOYAGE_TOKENS_PER_TEXT = 30_000;
const OPENAI_TOKENS_PER_TEXT = 8_000;

/**
 * Makes the embedder that the configuration names.
 *
 * @throws {Error} naming the environment variable to set, where the configuration cannot work
 */
export function createEmbedder(config: EmbeddingConfig, deps: EmbedderDeps = {}): Embedder {
  const { semanticDedupeThreshold: threshold, baseUrl } = config;
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1)) {
    throw new Error('set SERVICE_SEMANTIC_DEDUPE_THRESHOLD to a number from 0 to 1');
  }
  if (baseUrl !== undefined && !(/^https?:\/\//.test(baseUrl) && URL.canParse(baseUrl))) {
    throw new Error('set SERVICE_EMBEDDING_BASE_URL to an http or https URL');
  }
  switch (config.provider) {
    case 'local':
      return createLocal(config);
    case 'voyage':
      return createVoyage(config, deps);
    case 'openai':
      return createOpenAi(config, deps);
    default:
      throw new Error('set SERVICE_EMBEDDING_PROVIDER to local, voyage or openai');
  }
}

function createLocal({ model = LOCAL_MODEL, dimensions, semanticDedupeThreshold }: EmbeddingConfig): Embedder {
  const { min, max } = LOCAL_DIMENSIONS;
  if (model !== LOCAL_MODEL) {
    throw new Error(`unset SERVICE_EMBEDDING_MODEL: the local provider has the one model ${LOCAL_MODEL}`);
  }
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions >= min && dimensions <= max)) {
    throw new Error(`set SERVICE_EMBEDDING_DIMENSIONS to an integer from ${min} to ${max}, or unset it`);
  }
  return new LocalEmbedder({ dimensions, semanticDedupeThreshold });
}

function createVoyage(config: EmbeddingConfig, deps: EmbedderDeps): Embedder {
  const { model = VOYAGE_MODEL, apiKey, baseUrl } = config;
  if (!apiKey) throw new Error('set VOYAGE_API_KEY or SERVICE_EMBEDDING_API_KEY to use the provider voyage');
  if (model === VOYAGE_LOCAL_MODEL) {
    throw new Error(`set SERVICE_EMBEDDING_MODEL to a model of Voyage's API: ${model} is none`);
  }
  const dimensions = checkedDimensions(config);
  return new RemoteEmbedder(
    {
      ...REMOTE_LIMITS,
      ...overrides(config),
      provider: 'voyage',
      model,
      dimensions: dimensions ?? VOYAGE_DIMENSIONS.get(model) ?? VOYAGE_USUAL_DIMENSIONS,
      tokensPerText: VOYAGE_TOKENS_PER_TEXT,
    },
    voyageCall({ model, apiKey, baseUrl, dimensions }, deps.fetch ?? globalFetch),
    deps.random,
  );
}

function createOpenAi(config: EmbeddingConfig, deps: EmbedderDeps): Embedder {
  const { model = OPENAI_MODEL, apiKey, baseUrl = OPENAI_URL } = config;
  if (!apiKey && baseUrl === OPENAI_URL) {
    throw new Error(
      'set SERVICE_EMBEDDING_API_KEY to use OpenAI, or SERVICE_EMBEDDING_BASE_URL to use another server of its API',
    );
  }
  const dimensions = checkedDimensions(config);
  const known = dimensions ?? OPENAI_DIMENSIONS.get(model);
  if (known === undefined) {
    throw new Error(`set SERVICE_EMBEDDING_DIMENSIONS to the number of dimensions of the model ${model}`);
  }
  return new RemoteEmbedder(
    {
      ...REMOTE_LIMITS,
      ...overrides(config),
      provider: 'openai',
      model,
      dimensions: known,
      tokensPerText: OPENAI_TOKENS_PER_TEXT,
    },
    openAiCall({ baseUrl, model, apiKey, dimensions }, deps.fetch ?? globalFetch),
    deps.random,
  );
}

function overrides({ semanticDedupeThreshold }: EmbeddingConfig): { semanticDedupeThreshold?: number } {
  return semanticDedupeThreshold === undefined ? {} : { semanticDedupeThreshold };
}

function checkedDimensions({ dimensions }: EmbeddingConfig): number | undefined {
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0)) {
    throw new Error('set SERVICE_EMBEDDING_DIMENSIONS to a positive integer, or unset it');
  }
  return dimensions;
}

/** Looked up at each call, so that what replaces the global one later is used. */
const globalFetch: typeof fetch = (input, init) => fetch(input, init);
