/** Reads that were sent before a client asked for them, by what they ask for. Each answers one request. */
const reads = new Map<string, { answer: Promise<Response>; abort: (reason: unknown) => void }>();

/** Sends a read that a page is sure to need. The client that asks for the same first gets its answer. */
export function readEarly(url: string, organizationId?: string): void {
  const headers = new Headers(organizationId === undefined ? {} : { 'X-Organization-Id': organizationId });
  const aborting = new AbortController();
  const request = new Request(url, { headers, redirect: 'manual', signal: aborting.signal });
  const answer = fetch(request);
  // The client gets the failure. Without a client, nobody needs to know.
  answer.catch(() => {});
  reads.set(keyOf(request), { answer, abort: (reason) => aborting.abort(reason) });
}

/** Fetches for the clients. An early read that fails makes all others void: they may have failed likewise. */
export async function fetchOrTakeEarly(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const key = keyOf(request);
  const early = reads.get(key);
  if (!early) return fetch(request);
  reads.delete(key);
  request.signal.addEventListener('abort', () => early.abort(request.signal.reason), { once: true });
  try {
    const answer = await early.answer;
    if (!answer.ok) forgetEarlyReads();
    return answer;
  } catch (error) {
    forgetEarlyReads();
    throw error;
  }
}

export function forgetEarlyReads(): void {
  reads.clear();
}

function keyOf({ method, url, headers }: Request): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.sort();
  return `${method} ${pathname}?${searchParams} ${headers.get('X-Organization-Id')}`;
}
