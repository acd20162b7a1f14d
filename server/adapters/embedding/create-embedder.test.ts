import { describe, expect, test } from 'vitest';
import { createEmbedder, type EmbeddingConfig, withFormer } from './create-embedder.js';

describe('a configuration', () => {
  test.each<[EmbeddingConfig, string, number]>([
    [{ provider: 'local' }, 'local|terms-and-meaning-1|1024', 1_024],
    [{ provider: 'local', dimensions: 256 }, 'local|terms-and-meaning-1|256', 256],
    [{ provider: 'local', model: 'hashed-terms-1' }, 'local|hashed-terms-1|1024', 1_024],
    [{ provider: 'voyage', apiKey: 'k' }, 'voyage|voyage-3.5|1024', 1_024],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-code-2' }, 'voyage|voyage-code-2|1536', 1_536],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-4', dimensions: 2_048 }, 'voyage|voyage-4|2048', 2_048],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-law-2', dimensions: 1_024 }, 'voyage|voyage-law-2|1024', 1_024],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-9', dimensions: 768 }, 'voyage|voyage-9|768', 768],
    [{ provider: 'openai', apiKey: 'k', dimensions: 256 }, 'openai|text-embedding-3-small|256', 256],
    [{ provider: 'openai', apiKey: 'k', model: 'text-embedding-3-large' }, 'openai|text-embedding-3-large|3072', 3_072],
    [{ provider: 'openai', baseUrl: 'http://127.0.0.1:1', model: 'm', dimensions: 8 }, 'openai|m|8', 8],
  ])('becomes a fingerprint: %j', async (config, fingerprint, dimensions) => {
    const embedder = await createEmbedder(config);

    expect(embedder.fingerprint).toBe(fingerprint);
    expect(embedder.dimensions).toBe(dimensions);
    expect(embedder.status()).toBe('ok');
  });

  test.each<EmbeddingConfig>([
    { provider: 'local' },
    { provider: 'voyage', apiKey: 'k' },
    { provider: 'openai', apiKey: 'k' },
  ])('overrides the threshold of near-duplicates: %j', async (config) => {
    const usual = (await createEmbedder(config)).semanticDedupeThreshold;

    expect(usual).toBeGreaterThan(0.9);
    expect(usual).toBeLessThan(1);
    const changed = await createEmbedder({ ...config, semanticDedupeThreshold: 0.5 });
    expect(changed.semanticDedupeThreshold).toBe(0.5);
  });

  test('has the former embedder that it names, and those of the local provider', async () => {
    const former = await createEmbedder({ provider: 'openai', apiKey: 'k' });
    const own = await createEmbedder({ provider: 'voyage', apiKey: 'k' });
    const embedder = withFormer(own, former);

    const { dimensions, semanticDedupeThreshold, relevanceCurve } = own;
    expect(embedder).toMatchObject({ fingerprint: 'voyage|voyage-3.5|1024', dimensions, semanticDedupeThreshold });
    expect(embedder.relevanceCurve).toBe(relevanceCurve);
    expect(relevanceCurve?.length).toBeGreaterThan(0);
    expect(embedder.formerOf?.(former.fingerprint)).toBe(former);
    expect(embedder.formerOf?.('local|hashed-terms-1|256')).toMatchObject({ fingerprint: 'local|hashed-terms-1|256' });
    expect(embedder.formerOf?.('openai|text-embedding-3-large|3072')).toBeUndefined();
  });

  test.each<[EmbeddingConfig, RegExp]>([
    [{ provider: 'other' as 'local' }, /set SERVICE_EMBEDDING_PROVIDER/],
    [{ provider: 'local', model: 'bge-m3' }, /unset SERVICE_EMBEDDING_MODEL/],
    [{ provider: 'local', dimensions: 63 }, /set SERVICE_EMBEDDING_DIMENSIONS to an integer from 64 to 4096/],
    [{ provider: 'local', dimensions: 100.5 }, /set SERVICE_EMBEDDING_DIMENSIONS/],
    [{ provider: 'voyage' }, /set VOYAGE_API_KEY or SERVICE_EMBEDDING_API_KEY/],
    [{ provider: 'voyage', apiKey: 'k', dimensions: 0 }, /set SERVICE_EMBEDDING_DIMENSIONS/],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-4-nano' }, /set SERVICE_EMBEDDING_MODEL/],
    [{ provider: 'voyage', apiKey: 'k', model: 'rerank-2.5' }, /set SERVICE_EMBEDDING_MODEL/],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-multimodal-3.5' }, /set SERVICE_EMBEDDING_MODEL/],
    [{ provider: 'voyage', apiKey: 'k', dimensions: 768 }, /_DIMENSIONS, .* of voyage-3.5: 256, 512, 1024, 2048/],
    [{ provider: 'voyage', apiKey: 'k', model: 'voyage-law-2', dimensions: 512 }, /of voyage-law-2: 1024$/],
    [{ provider: 'openai', apiKey: 'k', dimensions: 1_537 }, /of text-embedding-3-small: 1 to 1536$/],
    [{ provider: 'openai', apiKey: 'k', model: 'text-embedding-ada-002', dimensions: 512 }, /ada-002: 1536$/],
    [{ provider: 'openai' }, /set SERVICE_EMBEDDING_API_KEY/],
    [{ provider: 'openai', apiKey: 'k', model: 'm' }, /set SERVICE_EMBEDDING_DIMENSIONS/],
    [{ provider: 'openai', apiKey: 'k', baseUrl: 'localhost:11434' }, /set SERVICE_EMBEDDING_BASE_URL/],
    [{ provider: 'local', semanticDedupeThreshold: 1.1 }, /set SERVICE_SEMANTIC_DEDUPE_THRESHOLD/],
    [{ provider: 'local', semanticDedupeThreshold: Number.NaN }, /set SERVICE_SEMANTIC_DEDUPE_THRESHOLD/],
  ])('that cannot work says which variable to set: %j', async (config, message) => {
    await expect(createEmbedder(config)).rejects.toThrow(message);
  });
});
