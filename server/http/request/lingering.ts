import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

const LINGER_MS = 2_000;

/**
 * An answer to a request whose body is not wanted: the text at once, the end
 * when the caller has sent everything or some time has passed. Ending sooner
 * would reset the connection under a caller that is still sending, and the
 * answer would be lost with it.
 */
export function lingering(request: IncomingMessage, text: string): Readable {
  return Readable.from(textThenRest(request, text));
}

async function* textThenRest(request: IncomingMessage, text: string): AsyncGenerator<string> {
  yield text;
  request.resume();
  // However it ends, there is nothing more to say.
  await finished(request, { signal: AbortSignal.timeout(LINGER_MS), cleanup: true }).catch(() => undefined);
}
