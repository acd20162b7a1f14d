import { readData } from './answer.js';
import { boundAnswers } from './bounded-fetch.js';
import {
  ProviderAnswerError,
  ProviderStatusError,
  ProviderUnreachableError,
  readRetryAfterMs,
} from './provider-error.js';
import type { EmbedCall } from './remote-embedder.js';
import { isTooLarge, mayBeTooLarge } from './too-large.js';

interface OpenAiRequest {
  /** Up to and without `/embeddings`. */
  baseUrl: string;
  model: string;
  /** Sent as bearer token; servers of one's own often take none. */
  apiKey: string | undefined;
  /** Asked of the model where given; not every model can shorten its vectors. */
  dimensions: number | undefined;
}

/** Asks any server that speaks OpenAI's embeddings API. It draws no line between documents and queries. */
export function openAiCall(
  { baseUrl, model, apiKey, dimensions }: OpenAiRequest,
  fetchAnswer: typeof fetch,
): EmbedCall {
  const url = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const post = boundAnswers(fetchAnswer);

  return async (texts, _purpose, signal) => {
    const body = JSON.stringify({ model, input: texts, encoding_format: 'float', dimensions });
    const response = await post(url, { method: 'POST', headers, body, signal }).catch((error: unknown) => {
      throw new ProviderUnreachableError(faultCode(error));
    });
    if (!response.ok) throw await readRejection(response);
    return readData(await readJson(response));
  };
}

/** Reads the body only to learn if the request was too large: it may quote the texts. */
async function readRejection(response: Response): Promise<ProviderStatusError> {
  const { status, headers } = response;
  let body = '';
  if (mayBeTooLarge(status)) body = await response.text().catch(() => '');
  else await response.body?.cancel();
  return new ProviderStatusError(status, readRetryAfterMs(headers.get('retry-after')), isTooLarge(status, body));
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof ProviderAnswerError) throw error;
    if (error instanceof SyntaxError) throw new ProviderAnswerError('it is no JSON');
    throw new ProviderUnreachableError(faultCode(error));
  }
}

/** Returns the message of the cause: the message of fetch itself is always "fetch failed". */
function faultCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
