import { expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { KEPT_APART, MERGED } from '../../testing/fixtures/rewordings.js';
import { ingest } from './ingest.js';

/** Above every cosine: no two vectors are close. */
const NEVER_CLOSE = 2;
const ALWAYS_CLOSE = 0;

test('54 of 55 rewordings are merged though no vectors are close, and the last one if they are', async () => {
  const { deps } = await testWorld({ embedder: new LetterEmbedder(undefined, NEVER_CLOSE) });
  const { deps: close } = await testWorld({ embedder: new LetterEmbedder(undefined, ALWAYS_CLOSE) });

  const apart: (readonly [string, string])[] = [];
  for (const pair of MERGED) if ((await second(deps, pair)) === 'created') apart.push(pair);

  expect(MERGED).toHaveLength(55);
  expect(apart).toHaveLength(1);
  for (const pair of apart) expect(await second(close, pair)).toBe('merged_metadata');
});

test('no pair of different facts is merged, though all vectors are close', async () => {
  const { deps } = await testWorld({ embedder: new LetterEmbedder(undefined, ALWAYS_CLOSE) });

  for (const pair of KEPT_APART) expect(await second(deps, pair), pair.join(' / ')).toBe('created');
});

/** Returns the outcome of the second text of a pair, in an organization of its own. */
async function second(deps: Deps, [one, other]: readonly [string, string]) {
  const caller = await anotherCaller(deps);
  await ingest(deps, caller, { content: one });
  return (await ingest(deps, caller, { content: other })).outcome;
}
