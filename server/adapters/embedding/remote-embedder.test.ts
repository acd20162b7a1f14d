import { describe, expect, test } from 'vitest';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import { type EmbedCall, eachAlone, RemoteEmbedder } from './remote-embedder.js';
import { ProviderStatusError } from './requests/provider-error.js';

const model = {
  provider: 'test',
  model: 'm',
  dimensions: 2,
  semanticDedupeThreshold: 0.9,
  textsPerCall: 3,
  tokensPerCall: 1_000,
  tokensPerList: 1_000,
};

/** An embedder, and the texts of each request that it made. */
function record(call: EmbedCall, overrides: Partial<typeof model> = {}) {
  const requests: string[][] = [];
  const recorded: EmbedCall = (texts, purpose, signal) => {
    requests.push([...texts]);
    return call(texts, purpose, signal);
  };
  const embedder = new RemoteEmbedder({ ...model, ...overrides }, eachAlone(recorded));
  return { embedder, requests };
}

/** Embeds a number as a point on the unit circle. */
const onCircle: EmbedCall = async (texts) =>
  texts.map((text) => [3 * Math.cos(Number(text)), 3 * Math.sin(Number(text))]);

describe('a batch', () => {
  test('is divided by the number of texts and comes back in order, as vectors of length 1', async () => {
    const { embedder, requests } = record(async (texts, purpose, signal) => {
      // The first request answers last.
      if (texts.includes('0')) await new Promise((resolve) => setImmediate(resolve));
      return onCircle(texts, purpose, signal);
    });
    const numbers = Array.from({ length: 20 }, (_, index) => String(index));

    const vectors = await embedder.embed(numbers, 'document');

    expect(requests.map((texts) => texts.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    vectors.forEach((vector, index) => {
      expect(vector[0]).toBeCloseTo(Math.cos(index), 6);
      expect(vector[1]).toBeCloseTo(Math.sin(index), 6);
    });
  });

  test('is divided by the number of tokens, and a longer text goes alone', async () => {
    const { embedder, requests } = record(async (texts) => texts.map(() => [1, 0]), { tokensPerCall: 124 });
    // Each digit is a token by estimate, and each text has 12 more.
    const texts = ['1'.repeat(60), '2'.repeat(40), '3'.repeat(150), '4', '5'];

    await embedder.embed(texts, 'document');

    expect(requests).toEqual([texts.slice(0, 2), texts.slice(2, 3), texts.slice(3)]);
  });

  test('makes no request for no texts', async () => {
    const { embedder, requests } = record(onCircle);

    expect(await embedder.embed([], 'query')).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('fails as a whole, and begins nothing more once a part has failed', async () => {
    const { embedder, requests } = record(async (texts, purpose, signal) => {
      if (texts.includes('0')) return [];
      await new Promise((resolve) => setImmediate(resolve));
      return onCircle(texts, purpose, signal);
    });
    const numbers = Array.from({ length: 60 }, (_, index) => String(index));

    await expect(embedder.embed(numbers, 'document')).rejects.toThrow(EmbeddingUnavailableError);
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toHaveLength(4);
  });
});

test('a text that is too long for the model is the mean of its pieces, weighted by their lengths', async () => {
  const { embedder, requests } = record(async (texts) => texts.map((text) => (text.includes('1') ? [1, 0] : [0, 1])), {
    tokensPerList: 30,
  });

  const [, mean, after] = await embedder.embed(['1', `${'1'.repeat(30)}${'2'.repeat(10)}`, '2'], 'document');

  expect(requests.flat()).toEqual(['1', '1'.repeat(30), '2'.repeat(10), '2']);
  expect(mean![0]).toBeCloseTo(3 / Math.sqrt(10), 6);
  expect(mean![1]).toBeCloseTo(1 / Math.sqrt(10), 6);
  expect(after).toEqual(new Float32Array([0, 1]));
});

describe('a request that the provider rejects as too large', () => {
  /** Rejects requests with more than `most` texts, or with a text of more than `longest` code units. */
  const limited = (most: number, longest = Number.POSITIVE_INFINITY): EmbedCall => {
    return async (texts, purpose, signal) => {
      if (texts.length > most || texts.some((text) => text.length > longest)) {
        throw new ProviderStatusError(400, undefined, true);
      }
      return onCircle(texts, purpose, signal);
    };
  };

  test('is sent in two halves, and the vectors are in the order of the texts', async () => {
    const { embedder, requests } = record(limited(2), { textsPerCall: 7 });
    const numbers = Array.from({ length: 7 }, (_, index) => String(index));

    const vectors = await embedder.embed(numbers, 'document');

    expect(requests.map((texts) => texts.join(''))).toEqual(['0123456', '0123', '01', '23', '456', '45', '6']);
    vectors.forEach((vector, index) => {
      expect(vector[0]).toBeCloseTo(Math.cos(index), 6);
    });
  });

  test('is cut if it has a single text, and the vectors are averaged', async () => {
    const { embedder, requests } = record(limited(1, 300));
    const text = `${'0'.repeat(300)}${'1'.padStart(300, '0')}`;

    const [mean, ...others] = await embedder.embed([text], 'document');

    expect(requests).toEqual([[text], [text.slice(0, 300)], [text.slice(300)]]);
    expect(others).toEqual([]);
    expect(mean![0]).toBeCloseTo(Math.cos(0.5), 6);
    expect(mean![1]).toBeCloseTo(Math.sin(0.5), 6);
  });

  test('fails if it has a single short text, with no further request', async () => {
    const { embedder, requests } = record(limited(0), { textsPerCall: 4 });

    const refused = embedder.embed(['0', '1', '2', '3'], 'document');

    await expect(refused).rejects.toThrow('The embedding provider test refused the request with status 400');
    expect(requests).toEqual([['0', '1', '2', '3'], ['0', '1'], ['0']]);
    expect(embedder.status()).toBe('ok');
  });
});

describe('an answer', () => {
  test.each<[string, unknown[], RegExp]>([
    ['too few vectors', [[1, 0]], /it holds 1 vectors for 2 texts/],
    [
      'too many vectors',
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
      /it holds 3 vectors for 2 texts/,
    ],
    ['too few dimensions', [[1, 0], [1]], /a vector of 1 dimensions where 2 are expected/],
    [
      'NaN',
      [
        [1, 0],
        [1, Number.NaN],
      ],
      /no finite number/,
    ],
    [
      'infinity',
      [
        [1, 0],
        [Number.POSITIVE_INFINITY, 1],
      ],
      /no finite number/,
    ],
    [
      'null',
      [
        [1, 0],
        [1, null],
      ],
      /no finite number/,
    ],
    [
      'zeros',
      [
        [1, 0],
        [0, 0],
      ],
      /a vector of length 0/,
    ],
    ['no vector', [[1, 0], 'AAAA'], /something that is no vector/],
  ])('is refused and not asked for again: %s', async (_name, answer, message) => {
    const { embedder, requests } = record(async () => answer);

    const refused = embedder.embed(['some secret text', 'another'], 'document');

    await expect(refused).rejects.toThrow(EmbeddingUnavailableError);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/secret/);
    expect(requests).toHaveLength(1);
  });
});

test('the fingerprint tells provider, model and dimensions', () => {
  const { embedder } = record(onCircle);

  expect(embedder.fingerprint).toBe('test|m|2');
  expect(embedder.dimensions).toBe(2);
  expect(embedder.semanticDedupeThreshold).toBe(0.9);
  expect(embedder.status()).toBe('ok');
});
