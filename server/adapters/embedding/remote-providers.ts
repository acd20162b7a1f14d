import type { RelevanceCurve } from '../../domain/retrieval/relevance.js';
import type { Embedder } from '../../ports/embedder.js';
import { ContextualEmbedder } from './contextual-embedder.js';
import type { EmbeddingConfig } from './create-embedder.js';
import { dimensionsToAsk, OPENAI_MODELS, VOYAGE_MODELS } from './models.js';
import { openAiCall } from './openai.js';
import { eachAlone, RemoteEmbedder } from './remote-embedder.js';
import { voyageCall, voyageContextCall, voyageRerankCall } from './voyage.js';

export interface RemoteDeps {
  fetch?: typeof fetch;
  /** From 0 to 1, for the pauses between tries. */
  random?: () => number;
}

const VOYAGE_MODEL = 'voyage-3.5';
const VOYAGE_RERANK_MODEL = 'rerank-2.5';
const VOYAGE_USUAL_DIMENSIONS = 1_024;
/** The client runs models of this name on the machine, with packages that this service does not bring. */
const VOYAGE_LOCAL_MODEL = 'voyage-4-nano';

const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_MODEL = 'text-embedding-3-small';
const SEMANTIC_DEDUPE_THRESHOLD = 0.96;
/** Far below the 1,000 of Voyage and the 2,048 of OpenAI: reading more vectors would hold up other requests. */
const TEXTS_PER_CALL = 128;
/** Every model of Voyage accepts as many, and OpenAI 300,000. */
const TOKENS_PER_CALL = 120_000;
/** Servers of one's own often embed without a graphics processor, and a try may last 10 s. */
const TOKENS_PER_CALL_OF_OWN_SERVER = 40_000;
/** Limits of models that are not known. */
const VOYAGE_TOKENS_PER_TEXT = 32_000;
const OPENAI_TOKENS_PER_TEXT = 8_191;
/** Share of a limit that is used: tokens are estimated. */
const USED_SHARE = 0.9;
/** Endpoints of Voyage that take something else than lists of texts. */
const VOYAGE_OTHER_MODEL = /^(?:rerank-|voyage-multimodal-)/;

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
  if (model === VOYAGE_LOCAL_MODEL || VOYAGE_OTHER_MODEL.test(model)) {
    throw new Error(`set SERVICE_EMBEDDING_MODEL to a model for texts of Voyage's API: ${model} is none`);
  }
  const known = VOYAGE_MODELS.get(model);
  const asked = dimensionsToAsk(model, known, config.dimensions);
  const remote = {
    provider: 'voyage',
    model,
    dimensions: asked ?? known?.dimensions ?? VOYAGE_USUAL_DIMENSIONS,
    semanticDedupeThreshold,
    relevanceCurve: VOYAGE_RELEVANCE,
    textsPerCall: TEXTS_PER_CALL,
    tokensPerCall: USED_SHARE * TOKENS_PER_CALL,
    tokensPerList: USED_SHARE * (known?.tokensPerText ?? VOYAGE_TOKENS_PER_TEXT),
  };
  const request = { model, apiKey, baseUrl, dimensions: asked };
  const fetchAnswer = deps.fetch ?? globalFetch;
  const rerank = voyageRerankCall({ model: VOYAGE_RERANK_MODEL, apiKey, baseUrl }, fetchAnswer);
  return known?.isContextual
    ? new ContextualEmbedder(remote, voyageContextCall(request, fetchAnswer), deps.random, rerank)
    : new RemoteEmbedder(remote, eachAlone(voyageCall(request, fetchAnswer)), deps.random, rerank);
}

export function createOpenAi(config: EmbeddingConfig, deps: RemoteDeps): Embedder {
  const { model = OPENAI_MODEL, apiKey, baseUrl = OPENAI_URL } = config;
  const isOpenAi = baseUrl === OPENAI_URL;
  if (!apiKey && isOpenAi) {
    throw new Error(
      'set SERVICE_EMBEDDING_API_KEY to use OpenAI, or SERVICE_EMBEDDING_BASE_URL to use another server of its API',
    );
  }
  const known = OPENAI_MODELS.get(model);
  const asked = dimensionsToAsk(model, known, config.dimensions);
  const dimensions = asked ?? known?.dimensions;
  if (dimensions === undefined) {
    throw new Error(`set SERVICE_EMBEDDING_DIMENSIONS to the number of dimensions of the model ${model}`);
  }
  return new RemoteEmbedder(
    {
      provider: 'openai',
      model,
      dimensions,
      semanticDedupeThreshold: config.semanticDedupeThreshold ?? SEMANTIC_DEDUPE_THRESHOLD,
      relevanceCurve: OPENAI_RELEVANCE.get(model) ?? [],
      textsPerCall: TEXTS_PER_CALL,
      tokensPerCall: USED_SHARE * (isOpenAi ? TOKENS_PER_CALL : TOKENS_PER_CALL_OF_OWN_SERVER),
      tokensPerList: USED_SHARE * (known?.tokensPerText ?? OPENAI_TOKENS_PER_TEXT),
    },
    eachAlone(
      openAiCall(
        { baseUrl, model, apiKey, dimensions: asked, encoding: isOpenAi ? 'base64' : 'float' },
        deps.fetch ?? globalFetch,
      ),
    ),
    deps.random,
  );
}

/** Looked up at each call, so that what replaces the global one later is used. */
const globalFetch: typeof fetch = (input, init) => fetch(input, init);
