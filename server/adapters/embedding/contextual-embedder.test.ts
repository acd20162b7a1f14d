import { expect, test } from 'vitest';
import { ContextualEmbedder } from './contextual-embedder.js';
import { ProviderStatusError } from './requests/provider-error.js';

const model = {
  provider: 'test',
  model: 'm',
  dimensions: 2,
  semanticDedupeThreshold: 0.9,
  textsPerCall: 8,
  tokensPerCall: 200,
  tokensPerList: 100,
};

/**
 * An embedder, and the lists of each request that it made. A vector is the text's number along the first axis and the
 * number of texts of its list along the second.
 *
 * @param most texts of a request; more are rejected
 */
function record(most = Number.POSITIVE_INFINITY) {
  const requests: string[][][] = [];
  const embedder = new ContextualEmbedder(model, async (lists) => {
    requests.push(lists.map((texts) => [...texts]));
    if (lists.flat().length > most) throw new ProviderStatusError(400, undefined, true);
    return lists.flatMap((texts) => texts.map((text) => [Number(text.charAt(0)), texts.length]));
  });
  return { embedder, requests };
}

function ratios(documents: readonly (readonly Float32Array[])[]): number[][] {
  return documents.map((vectors) => vectors.map(([first = 0, second = 1]) => Math.round((100 * first) / second) / 100));
}

test('sends the chunks of a document in one list, and gives each its vector', async () => {
  const { embedder, requests } = record();

  const vectors = await embedder.embedChunks([['1', '2', '3'], ['4'], [], ['5', '6']]);

  expect(requests).toEqual([[['1', '2', '3'], ['4'], ['5', '6']]]);
  expect(ratios(vectors)).toEqual([[0.33, 0.67, 1], [4], [], [2.5, 3]]);
});

test('embeds texts and queries alone', async () => {
  const { embedder, requests } = record();

  await embedder.embed(['1', '2'], 'document');
  await embedder.embed(['3'], 'query');

  expect(requests).toEqual([[['1'], ['2']], [['3']]]);
});

test('divides a document that is too long for the model, and requests that are too large', async () => {
  const { embedder, requests } = record();
  const chunk = (digit: number) => String(digit).repeat(30);

  const vectors = await embedder.embedChunks([[1, 2, 3, 4, 5].map(chunk), [6].map(chunk)]);

  expect(requests).toEqual([
    [[1, 2].map(chunk), [3, 4].map(chunk)],
    [[5].map(chunk), [6].map(chunk)],
  ]);
  expect(ratios(vectors)).toEqual([[0.5, 1, 1.5, 2, 5], [6]]);
});

test('keeps documents whole as long as it can, when the provider rejects a request as too large', async () => {
  const { embedder, requests } = record(2);

  const vectors = await embedder.embedChunks([
    ['1', '2'],
    ['3', '4', '5'],
  ]);

  expect(requests).toEqual([
    [
      ['1', '2'],
      ['3', '4', '5'],
    ],
    [['1', '2']],
    [['3', '4', '5']],
    [['3', '4']],
    [['5']],
  ]);
  expect(ratios(vectors)).toEqual([
    [0.5, 1],
    [1.5, 2, 5],
  ]);
});
