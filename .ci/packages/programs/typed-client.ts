// Uses the types of the installed client. It is compiled, not run.
import {
  type Change,
  MemoryClient,
  type MemoryClientOptions,
  RateLimitedError,
  type SearchResult,
} from '@memory-service/sdk';
import { verifyWebhook } from '@memory-service/sdk/webhooks';

export async function use(
  options: MemoryClientOptions,
  token: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  // An option may be undefined: `exactOptionalPropertyTypes` must not ask for a spread.
  const client = new MemoryClient({ ...options, token, maxRetries: undefined });
  const { outcome, id } = await client.ingest({ content: 'a', metadata: { kind: 'note' }, subjectKey: 7 });
  if (outcome === 'created') await client.update(id, { metadata: { kind: 'fact' } }, { signal });

  // A member of a request may be undefined too.
  const user = client.forSubject('user-1');
  await user.ingest({ content: 'a', metadata: undefined, scope: { source: token }, expiresAt: undefined });
  await user.search({ query: 'a', includeDeleted: true, filter: { kind: token, match: undefined } });

  const { results } = await client.search({ query: 'a', mode: 'hybrid', limit: 3, filter: { match: { a: true } } });
  const scores = results.map((result: SearchResult): number => result.score);
  for await (const { content } of client.export({ limit: 10 })) scores.push(content.length);
  for await (const change of client.follow({}, { signal })) scores.push(lengthOf(change));

  const { response, requestId } = await client.stats().withResponse();
  const { event }: { event: 'memory.ingested' | 'memory.updated' | 'memory.deleted' | 'webhook.test' } =
    await verifyWebhook({
      body: await response.text(),
      headers: response.headers,
      secret: requestId ?? '',
    });
  // @ts-expect-error no such outcome
  if (outcome === 'stored') throw new RateLimitedError({ status: 429, message: event, details: [], body: undefined });
  return Math.max(...scores);
}

function lengthOf(change: Change): number {
  return change.change === 'deleted' ? 0 : change.content.length;
}
