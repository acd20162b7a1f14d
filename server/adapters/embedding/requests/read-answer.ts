import { boundAnswers } from './bounded-fetch.js';
import {
  ProviderAnswerError,
  ProviderStatusError,
  ProviderUnreachableError,
  readRetryAfterMs,
} from './provider-error.js';
import { isTooLarge, mayBeTooLarge } from './too-large.js';

/**
 * Returns a function that sends a request and returns the JSON of the answer. Its errors quote neither key nor texts.
 *
 * @throws {ProviderStatusError | ProviderUnreachableError | ProviderAnswerError} from the function
 */
export function answerReader(fetchAnswer: typeof fetch): (...request: Parameters<typeof fetch>) => Promise<unknown> {
  const send = boundAnswers(fetchAnswer);
  return async (...request) => {
    const response = await send(...request).catch((error: unknown) => {
      throw new ProviderUnreachableError(faultCode(error));
    });
    if (!response.ok) throw await readRejection(response);
    return readJson(response);
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

/** Returns the code of the cause: the message of fetch itself is always "fetch failed". */
function faultCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
