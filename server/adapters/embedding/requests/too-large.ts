const PAYLOAD_TOO_LARGE = 413;
/** Statuses with which providers reject a request that is too large, among others. */
const REJECTED = [400, 422];
/** Number of characters of a body that are read. The explanation is at the start. */
const MAX_READ = 4_000;

/** Match the explanations of Voyage, OpenAI and the usual servers of OpenAI's API. */
const MEASURE = /tokens?\b|batch size|context (?:length|window)|max_tokens_per_request/i;
const EXCESS = /max\w*|limit|allowed|exceed\w*|too (?:many|large|long)|less than|lower/i;

/** Reports if the body of an answer may explain that the request is too large. */
export function mayBeTooLarge(status: number): boolean {
  return REJECTED.includes(status);
}

/**
 * Reports if a provider rejected a request because it has too many texts or tokens. The body may quote a text that
 * misleads this, which costs a few further requests.
 */
export function isTooLarge(status: number, body: unknown): boolean {
  if (status === PAYLOAD_TOO_LARGE) return true;
  if (!mayBeTooLarge(status)) return false;
  const explanation = (typeof body === 'string' ? body : (JSON.stringify(body) ?? '')).slice(0, MAX_READ);
  return MEASURE.test(explanation) && EXCESS.test(explanation);
}
