import { ProviderAnswerError } from './provider-error.js';

/** Far above any honest answer: 128 vectors of 4,096 dimensions take some 12 MiB as JSON. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The same fetch, but a body fails once it is longer than an honest answer can be. */
export function boundAnswers(fetchAnswer: typeof fetch, maxBytes = MAX_ANSWER_BYTES): typeof fetch {
  return async (input, init) => {
    const response = await fetchAnswer(input, init);
    if (!response.body) return response;
    let bytes = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(new ProviderAnswerError(`it is longer than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), response);
  };
}
