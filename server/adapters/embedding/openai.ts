import type { EmbedCall } from './remote-embedder.js';
import { readData } from './requests/answer.js';
import { answerReader } from './requests/read-answer.js';

interface OpenAiRequest {
  /** Up to and without `/embeddings`. */
  baseUrl: string;
  model: string;
  /** Sent as bearer token; servers of one's own often take none. */
  apiKey: string | undefined;
  /** Asked of the model where given; not every model can shorten its vectors. */
  dimensions: number | undefined;
  /** Form of the vectors in the answer. Every server of the API knows `float`; `base64` takes fewer bytes. */
  encoding: 'float' | 'base64';
}

/** Asks any server that speaks OpenAI's embeddings API. It draws no line between documents and queries. */
export function openAiCall(
  { baseUrl, model, apiKey, dimensions, encoding }: OpenAiRequest,
  fetchAnswer: typeof fetch,
): EmbedCall {
  const url = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const readAnswer = answerReader(fetchAnswer);

  return async (texts, _purpose, signal) => {
    const body = JSON.stringify({ model, input: texts, encoding_format: encoding, dimensions });
    return readData(await readAnswer(url, { method: 'POST', headers, body, signal }));
  };
}
