import type { VoyageAIClient } from 'voyageai';
import type { EmbedCall, EmbedListsCall, RerankCall } from './remote-embedder.js';
import { readData, readLists } from './requests/answer.js';
import { ProviderUnreachableError } from './requests/provider-error.js';
import { answerReader } from './requests/read-answer.js';

interface VoyageAccess {
  apiKey: string;
  /** Up to and without `/embeddings`; Voyage's own where not given. */
  baseUrl: string | undefined;
}

interface VoyageRequest extends VoyageAccess {
  model: string;
  /** Asked of the model where given; not every model can shorten its vectors. */
  dimensions: number | undefined;
}

type Send = (client: VoyageAIClient) => Promise<unknown>;

/** Above the guard's own limit, which is the one that counts. */
const TIMEOUT_SECONDS = 30;

/** Asks Voyage AI, telling it documents from queries. */
export function voyageCall({ model, dimensions, ...access }: VoyageRequest, fetchAnswer: typeof fetch): EmbedCall {
  const ask = voyageClient(access, fetchAnswer);

  return async (texts, purpose, signal) => {
    const request = {
      input: [...texts],
      model,
      inputType: purpose,
      outputDimension: dimensions,
      encodingFormat: 'base64' as const,
      truncation: true,
    };
    return readData(await ask((client) => client.embed(request, { abortSignal: signal })));
  };
}

/** Asks a model of Voyage AI that embeds each text with regard to the others of its list. It truncates nothing. */
export function voyageContextCall(
  { model, dimensions, ...access }: VoyageRequest,
  fetchAnswer: typeof fetch,
): EmbedListsCall {
  const ask = voyageClient(access, fetchAnswer);

  return async (lists, purpose, signal) => {
    const inputs = lists.map((texts) => [...texts]);
    const request = { inputs, model, inputType: purpose, outputDimension: dimensions };
    return readLists(await ask((client) => client.contextualizedEmbed(request, { abortSignal: signal })), lists);
  };
}

/** Asks a model of Voyage AI that reads the query and each text together. It truncates long texts. */
export function voyageRerankCall(
  { model, ...access }: VoyageAccess & { model: string },
  fetchAnswer: typeof fetch,
): RerankCall {
  const ask = voyageClient(access, fetchAnswer);

  return (query, texts, signal) => {
    const request = { query, documents: [...texts], model, truncation: true };
    return ask((client) => client.rerank(request, { abortSignal: signal }));
  };
}

/**
 * Returns a function that sends a request by the client of Voyage and returns the answer as it came. The client itself
 * checks each number of an answer, which takes half a second for 128 vectors, and prints what it finds.
 *
 * @throws {ProviderStatusError | ProviderUnreachableError | ProviderAnswerError} from the function
 */
function voyageClient({ apiKey, baseUrl }: VoyageAccess, fetchAnswer: typeof fetch): (send: Send) => Promise<unknown> {
  const readAnswer = answerReader(fetchAnswer);

  return async (send) => {
    // It is large, and whoever uses another provider needs none of it.
    const { VoyageAIClient } = await import('voyageai');
    let answer: Promise<unknown> | undefined;
    const client = new VoyageAIClient({
      apiKey,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      fetch: async (...request) => {
        answer = readAnswer(...request);
        await answer.catch(() => undefined);
        return Response.json({});
      },
      maxRetries: 0,
      timeoutInSeconds: TIMEOUT_SECONDS,
      logging: { silent: true },
    });
    // The client's own reading of the answer does not count, and its errors may quote a text.
    await send(client).catch(() => undefined);
    if (!answer) throw new ProviderUnreachableError(undefined);
    return answer;
  };
}
