import { describe, expect, test } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { extractTerms } from '../../adapters/embedding/local/terms.js';
import { scanTexts } from '../../domain/content-scan/scan.js';
import { termsOf } from '../../domain/retrieval/keyword-terms.js';
import { hasComparableWords } from '../../domain/text/near-duplicate.js';
import { ServiceError } from '../../errors.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { hostileTexts } from '../../testing/fixtures/hostile-texts.js';
import { countNormalizingSteps } from '../../testing/fixtures/normalizing-steps.js';
import { draftMemory } from './draft.js';

const LENGTH = 100_000;
const TEXTS = hostileTexts(200, LENGTH, 17);
const MAX_TERM_LENGTH = 64;
/** Terms that a text without spaces may have, one per code unit. */
const MAX_SEGMENTS = 25_000;

/** Steps of Unicode normalization for each code unit, all functions together. A run of marks that is too long takes 100,000. */
const MAX_NORMALIZING_STEPS = 2_000;

describe('200 hostile texts', () => {
  test('are rejected, or normalized, folded, scanned, split and embedded with bounded work', async () => {
    const { deps: world } = await testWorld();
    const deps = { ...world, contentScan: scanTexts };
    const embedder = new LocalEmbedder();
    const steps = countNormalizingSteps();
    let accepted = 0;
    for (const text of TEXTS) {
      const from = steps();
      const draft = await outcome(() =>
        draftMemory(deps, { semanticDedupe: true }, { content: text }, deps.texts.row('a')),
      );
      if (draft) {
        accepted += 1;
        expect(draft.content.length).toBeLessThanOrEqual(3 * LENGTH);
        await deps.texts.row('a').read(draft.content);
        expect(hasComparableWords(draft.content)).toBe(false);
      }
      // Other embedders, and deployments without a scan, skip these functions. So each is bounded by itself.
      const terms = termsOf(text);
      expect(terms.length).toBeLessThanOrEqual(Math.max(text.length / 2, Math.min(text.length, MAX_SEGMENTS)));
      expect(Math.max(0, ...terms.map((term) => term.length))).toBeLessThanOrEqual(MAX_TERM_LENGTH);
      expect(extractTerms(text).length).toBeLessThanOrEqual(2 * text.length);
      await embedder.embed([text], 'document');
      expect(steps() - from, JSON.stringify(text.slice(0, 80))).toBeLessThan(MAX_NORMALIZING_STEPS * text.length);
    }
    expect(accepted).toBeGreaterThan(50);
  });
});

/** Returns undefined if the work was rejected. */
async function outcome<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
