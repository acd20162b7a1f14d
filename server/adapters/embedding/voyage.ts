import { VoyageAIClient, VoyageAIError } from 'voyageai';
import { readData } from './answer.js';
import { boundAnswers } from './bounded-fetch.js';
import {
  ProviderAnswerError,
  ProviderStatusError,
  ProviderUnreachableError,
  readRetryAfterMs,
} from './provider-error.js';
import type { EmbedCall } from './remote-embedder.js';

export interface VoyageRequest {
  model: string;
  apiKey: string;
  /** Up to and without `/embeddings`; Voyage's own where not given. */
  baseUrl: string | undefined;
  /** Asked of the model where given; not every model can shorten its vectors. */
  dimensions: number | undefined;
}

/** Above the guard's own limit, which is the one that counts. */
const TIMEOUT_SECONDS = 30;

/** Asks Voyage AI, telling it documents from queries. */
export function voyageCall(
  { model, apiKey, baseUrl, dimensions }: VoyageRequest,
  fetchAnswer: typeof fetch,
): EmbedCall {
  const client = new VoyageAIClient({
    apiKey,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    fetch: boundAnswers(fetchAnswer),
    maxRetries: 0,
    timeoutInSeconds: TIMEOUT_SECONDS,
    logging: { silent: true },
  });

  return async (texts, purpose, signal) => {
    const request = { input: [...texts], model, inputType: purpose, outputDimension: dimensions, truncation: true };
    const answer = await client.embed(request, { abortSignal: signal }).catch((error: unknown) => {
      throw translate(error);
    });
    return readData(answer);
  };
}

/** Drops the client's message and body, which may quote the texts. */
function translate(error: unknown): Error {
  if (!(error instanceof VoyageAIError)) return new ProviderUnreachableError(undefined);
  const { statusCode, rawResponse } = error;
  if (statusCode === undefined) return new ProviderUnreachableError(undefined);
  if (statusCode < 400) return new ProviderAnswerError('it is no JSON');
  return new ProviderStatusError(statusCode, readRetryAfterMs(rawResponse?.headers.get('retry-after')));
}
