import type { RelevanceCurve } from '../../domain/retrieval/relevance.js';
import type { Embedder } from '../../ports/embedder.js';
import type { EmbeddingConfig } from './create-embedder.js';
import { openAiCall } from './openai.js';
import { RemoteEmbedder } from './remote-embedder.js';
import { voyageCall } from './voyage.js';

export interface RemoteDeps {
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

const SEMANTIC_DEDUPE_THRESHOLD = 0.96;
/** Far below the 1,000 of Voyage and the 2,048 of OpenAI: reading more vectors would hold up other requests. */
const TEXTS_PER_CALL = 128;
/** A tenth below the 120,000 that every model of Voyage accepts, and far below the 300,000 of OpenAI. */
const TOKENS_PER_CALL = 108_000;
/** Servers of one's own often embed without a graphics processor, and a try may last 10 s. */
const TOKENS_PER_CALL_OF_OWN_SERVER = 40_000;
/** A tenth below the 32,000 of Voyage's models and the 8,191 of OpenAI's. */
const VOYAGE_TOKENS_PER_TEXT = 28_800;
const OPENAI_TOKENS_PER_TEXT = 7_370;

/** Estimates by published similarities, not measured here. Of models that are not listed, relevance is the similarity. */
const VOYAGE_RELEVANCE: RelevanceCurve = [
  [0.25, 0.2],
  [0.4, 0.5],
  [0.6, 0.8],
];
const OPENAI_RELEVANCE = new Map<string, RelevanceCurve>([
  [
    'text-embedding-3-small',
    [
      [0.15, 0.2],
      [0.3, 0.5],
      [0.5, 0.8],
    ],
  ],
  [
    'text-embedding-3-large',
    [
      [0.15, 0.2],
      [0.3, 0.5],
      [0.5, 0.8],
    ],
  ],
  [
    'text-embedding-ada-002',
    [
      [0.72, 0.2],
      [0.79, 0.5],
      [0.86, 0.8],
    ],
  ],
]);

export function createVoyage(config: EmbeddingConfig, deps: RemoteDeps): Embedder {
  const { model = VOYAGE_MODEL, apiKey, baseUrl, semanticDedupeThreshold = SEMANTIC_DEDUPE_THRESHOLD } = config;
  if (!apiKey) throw new Error('set VOYAGE_API_KEY or SERVICE_EMBEDDING_API_KEY to use the provider voyage');
  if (model === VOYAGE_LOCAL_MODEL) {
    throw new Error(`set SERVICE_EMBEDDING_MODEL to a model of Voyage's API: ${model} is none`);
  }
  const dimensions = checkedDimensions(config);
  return new RemoteEmbedder(
    {
      provider: 'voyage',
      model,
      dimensions: dimensions ?? VOYAGE_DIMENSIONS.get(model) ?? VOYAGE_USUAL_DIMENSIONS,
      semanticDedupeThreshold,
      relevanceCurve: VOYAGE_RELEVANCE,
      textsPerCall: TEXTS_PER_CALL,
      tokensPerCall: TOKENS_PER_CALL,
      tokensPerText: VOYAGE_TOKENS_PER_TEXT,
    },
    voyageCall({ model, apiKey, baseUrl, dimensions }, deps.fetch ?? globalFetch),
    deps.random,
  );
}

export function createOpenAi(config: EmbeddingConfig, deps: RemoteDeps): Embedder {
  const { model = OPENAI_MODEL, apiKey, baseUrl = OPENAI_URL } = config;
  const { semanticDedupeThreshold = SEMANTIC_DEDUPE_THRESHOLD } = config;
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
      provider: 'openai',
      model,
      dimensions: known,
      semanticDedupeThreshold,
      relevanceCurve: OPENAI_RELEVANCE.get(model) ?? [],
      textsPerCall: TEXTS_PER_CALL,
      tokensPerCall: baseUrl === OPENAI_URL ? TOKENS_PER_CALL : TOKENS_PER_CALL_OF_OWN_SERVER,
      tokensPerText: OPENAI_TOKENS_PER_TEXT,
    },
    openAiCall({ baseUrl, model, apiKey, dimensions }, deps.fetch ?? globalFetch),
    deps.random,
  );
}

function checkedDimensions({ dimensions }: EmbeddingConfig): number | undefined {
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0)) {
    throw new Error('set SERVICE_EMBEDDING_DIMENSIONS to a positive integer, or unset it');
  }
  return dimensions;
}

/** Looked up at each call, so that what replaces the global one later is used. */
const globalFetch: typeof fetch = (input, init) => fetch(input, init);
