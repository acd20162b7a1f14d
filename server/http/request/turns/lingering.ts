import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

const LINGER_MS = 2_000;

/**
 * Returns the answer to a request whose body is not wanted: the text at once, the end after the caller has sent
 * everything or some time has passed. An earlier end would reset the connection while the caller is sending, and lose
 * the answer.
 */
export function lingering(request: IncomingMessage, text: string): Readable {
  return Readable.from(textThenRest(request, text));
}

async function* textThenRest(request: IncomingMessage, text: string): AsyncGenerator<string> {
  yield text;
  request.resume();
  // The result does not matter, since the answer is complete.
  await finished(request, { signal: AbortSignal.timeout(LINGER_MS), cleanup: true }).catch(() => undefined);
}
