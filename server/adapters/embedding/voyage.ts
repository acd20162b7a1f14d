import type { VoyageAIClient, VoyageAIError } from 'voyageai';
import { readData } from './answer.js';
import { boundAnswers } from './bounded-fetch.js';
import {
  ProviderAnswerError,
  ProviderStatusError,
  ProviderUnreachableError,
  readRetryAfterMs,
} from './provider-error.js';
import type { EmbedCall } from './remote-embedder.js';
import { isTooLarge } from './too-large.js';

interface VoyageRequest {
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
  let client: VoyageAIClient | undefined;

  return async (texts, purpose, signal) => {
    // It is large, and whoever uses another provider needs none of it.
    const voyage = await import('voyageai');
    client ??= new voyage.VoyageAIClient({
      apiKey,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      fetch: boundAnswers(fetchAnswer),
      maxRetries: 0,
      timeoutInSeconds: TIMEOUT_SECONDS,
      logging: { silent: true },
    });
    const request = { input: [...texts], model, inputType: purpose, outputDimension: dimensions, truncation: true };
    const answer = await client.embed(request, { abortSignal: signal }).catch((error: unknown) => {
      throw error instanceof voyage.VoyageAIError ? translate(error) : new ProviderUnreachableError(undefined);
    });
    return readData(answer);
  };
}

/** Drops the client's message and body, which may quote the texts. */
function translate({ statusCode, rawResponse, body }: VoyageAIError): Error {
  if (statusCode === undefined) return new ProviderUnreachableError(undefined);
  if (statusCode < 400) return new ProviderAnswerError('it is no JSON');
  const retryAfterMs = readRetryAfterMs(rawResponse?.headers.get('retry-after'));
  return new ProviderStatusError(statusCode, retryAfterMs, isTooLarge(statusCode, JSON.stringify(body) ?? ''));
}
