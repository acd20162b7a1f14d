import { expect, test } from 'vitest';
import { VoyageEndpoint } from '../testing/fixtures/voyage-endpoint.js';
import { builtPackage } from '../testing/processes/server-process.js';
import { type Measured, measure } from './measure.js';
import { providersOf } from './providers.js';
import { Reranker } from './reranker.js';

const DATASET = {
  name: 'two facts',
  collections: [
    {
      name: 'facts',
      documents: new Map([
        ['short', 'red cars'],
        ['long', 'The warehouse in Bergen keeps cars of other colours'],
      ]),
      questions: [{ text: 'red cars', category: 'any', evidence: ['short'] }],
    },
  ],
};

test('measures a server with the vectors of Voyage, and its reranker', async () => {
  await using voyage = await VoyageEndpoint.start();
  const reranker = new Reranker('rerank-2.5', { apiKey: 'k-secret', baseUrl: voyage.url });
  const measured: Measured = { dist: builtPackage('server'), env: voyage.env, modes: ['vector'], reranker };

  const answers = await measure(measured, DATASET);

  const ranks = [...answers].map(([row, answered]) => [row, answered.map(({ reciprocalRank }) => reciprocalRank)]);
  expect(ranks).toEqual([
    ['BM25', [1]],
    ['vector', [1]],
    ['vector, rerank-2.5', [0.5]],
  ]);
  const [short, long] = DATASET.collections[0]!.documents.values();
  expect(voyage.requests).toEqual([
    { path: '/embeddings', kind: 'document', texts: [short, long] },
    { path: '/embeddings', kind: 'query', texts: ['red cars'] },
    { path: '/rerank', texts: ['red cars', short, long] },
  ]);
  expect(reranker.tokens).toBe(7);
});

test('measures a server with a model of Voyage that embeds chunks with their documents', async () => {
  await using voyage = await VoyageEndpoint.start();
  const env = { ...voyage.env, SERVICE_EMBEDDING_MODEL: 'voyage-context-3' };
  const texts = ['The shop is in Bergen', 'It opens at nine', 'Red cars are sold in Oslo'];
  const collection = {
    name: 'facts',
    documents: new Map(texts.map((text, at) => [`fact ${at}`, text])),
    metadata: new Map([1, 0].map((chunkIndex) => [`fact ${chunkIndex}`, chunk(chunkIndex)])),
    questions: [{ text: 'Where is the shop that opens at nine', category: 'any', evidence: ['fact 0', 'fact 1'] }],
  };

  const answers = await measure(
    { dist: builtPackage('server'), env, modes: ['vector'] },
    { name: 'a document', collections: [collection] },
  );

  expect(answers.get('vector')?.map(({ recall }) => recall)).toEqual([[0.5, 1, 1, 1]]);
  expect(voyage.requests.map(({ kind, texts }) => [kind, ...texts])).toEqual([
    ['document', texts[0], texts[1]],
    ['document', texts[2]],
    ['query', collection.questions[0]?.text],
  ]);
});

function chunk(chunkIndex: number) {
  return { documentId: 'shop', chunkIndex, chunkTotal: 2 };
}

test('chooses the configured provider alone, or else those with a key', () => {
  expect([...providersOf({})]).toEqual([['local', { SERVICE_EMBEDDING_PROVIDER: 'local' }]]);
  expect([...providersOf({ VOYAGE_API_KEY: 'v', OPENAI_API_KEY: 'o' }).keys()]).toEqual(['local', 'voyage', 'openai']);
  expect(providersOf({ OPENAI_API_KEY: 'o', SERVICE_EMBEDDING_MODEL: 'm' }).get('openai')).toMatchObject({
    SERVICE_EMBEDDING_PROVIDER: 'openai',
    SERVICE_EMBEDDING_API_KEY: 'o',
    SERVICE_EMBEDDING_MODEL: '',
  });
  expect([...providersOf({ SERVICE_EMBEDDING_PROVIDER: 'openai', VOYAGE_API_KEY: 'v' })]).toEqual([['openai', {}]]);
});
