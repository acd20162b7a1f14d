// Stores two facts for a user and searches for one by its meaning.
import assert from 'node:assert/strict';
// #region quickstart
import { MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient(); // reads MEMORY_BASE_URL and MEMORY_TOKEN
const user = client.forSubject('user-1'); // the memories of one user of your application
await user.ingestBatch({
  items: [{ content: 'Ana leads the platform team.' }, { content: 'The platform team meets on Mondays.' }],
});
const { results } = await user.search({ query: 'Who leads the platform team?', limit: 2 });
for (const { score, content } of results) console.log(score.toFixed(2), content);
// #endregion quickstart

assert.equal(results[0]?.content, 'Ana leads the platform team.');

// #region errors
import { NotFoundError, RateLimitedError, UnprocessableError } from '@memory-service/sdk';

try {
  await client.ingest({ content: ' ' });
} catch (error) {
  if (error instanceof UnprocessableError) console.log(error.status, error.code, error.details);
  else if (error instanceof RateLimitedError) console.log('retry in', error.retryAfter, 'seconds');
  else throw error;
}
// #endregion errors

await assert.rejects(client.get(crypto.randomUUID()), NotFoundError);

// #region lists
const page = await client.export({ limit: 100 }); // one page …
console.log(page.memories.length, page.nextCursor);

for await (const memory of client.export()) console.log(memory.content); // … or all of them
// #endregion lists

assert.ok(page.memories.length >= 2);

// #region response
const { data, response, requestId } = await client.stats().withResponse();
console.log(data.meta.total, response.headers.get('X-RateLimit-Remaining'), requestId);
// #endregion response

assert.ok(requestId);

// #region options
const careful = new MemoryClient({
  timeoutMs: 5_000, // for one attempt; 30,000 by default
  maxRetries: 4, // 2 by default
});
await careful.recent({ limit: 5 }, { signal: AbortSignal.timeout(10_000), maxRetries: 0 });

const background = careful.withOptions({
  maxRetries: 9,
  onRetry: ({ attempt, delayMs }) => console.log(attempt, delayMs),
});
await background.stats();
// #endregion options

// #region raw
const { meta } = await client.request<{ meta: { total: number } }>('GET', '/api/memories/stats', {
  query: { filter: { kind: 'note' } },
});
console.log(meta.total);
// #endregion raw
