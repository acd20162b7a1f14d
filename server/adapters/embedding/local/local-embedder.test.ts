import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EmbeddingPurpose } from '../../../ports/embedder.js';
import { LocalEmbedder } from './local-embedder.js';

const embedder = new LocalEmbedder();

async function embedOne(text: string, purpose: EmbeddingPurpose = 'document'): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], purpose);
  return vector!;
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * other[index]!, 0);
}

async function similarity(one: string, other: string): Promise<number> {
  return cosine(await embedOne(one), await embedOne(other));
}

/** Documents from the closest to the query to the farthest. */
async function rank(query: string, documents: readonly string[]): Promise<string[]> {
  const asked = await embedOne(query, 'query');
  const vectors = await embedder.embed(documents, 'document');
  const scored = documents.map((text, index) => ({ text, score: cosine(asked, vectors[index]!) }));
  return scored.sort((a, b) => b.score - a.score).map(({ text }) => text);
}

describe('the same text', () => {
  const text =
    "Don't deploy v2.1 to São Paulo on Fridays: the parseHttpRequest fix isn't in. 東京へ行きました。 Привет! 🎉";

  test.each([
    ['terms-and-meaning-1', 'a628de1403ccebc3', '4365f134d95315e4'],
    ['hashed-terms-1', 'b792f76f1ea8c42c', 'b9d4f0fca28b688f'],
  ] as const)('has the same bits on every machine and in every release of %s', async (model, document, query) => {
    const embedder = new LocalEmbedder({ model });

    const [[stored], [asked]] = [await embedder.embed([text], 'document'), await embedder.embed([text], 'query')];

    expect(embedder.fingerprint).toBe(`local|${model}|1024`);
    expect([checksum(stored!), checksum(asked!)]).toEqual([document, query]);
  });

  test.each(['local|hashed-terms-1|1024', 'local|terms-and-meaning-1|256'])(
    'is embedded by any former model and size for those who have its vectors: %s',
    (fingerprint) => {
      expect(embedder.formerOf(fingerprint)?.fingerprint).toBe(fingerprint);
    },
  );

  test.each(['voyage|hashed-terms-1|1024', 'local|other|1024', 'local|hashed-terms-1|1', 'local|hashed-terms-1|x'])(
    'is embedded by no former model that it does not know: %s',
    (fingerprint) => {
      expect(embedder.formerOf(fingerprint)).toBeUndefined();
    },
  );

  test('has the same vector whatever was embedded before and beside it', async () => {
    const alone = await new LocalEmbedder().embed([text], 'document');

    const [, among] = await embedder.embed(['other words first, deploying fixes', text, 'x'], 'document');

    expect(among).toEqual(alone[0]);
  });

  test('is close to itself as query and document', async () => {
    const score = cosine(await embedOne(text, 'query'), await embedOne(text, 'document'));

    expect(score).toBeGreaterThan(0.7);
  });

  function checksum(vector: Float32Array): string {
    return createHash('sha256').update(Buffer.from(vector.buffer)).digest('hex').slice(0, 16);
  }
});

describe('any text', () => {
  test.each([
    ['emoji', '🎉🎉'],
    ['punctuation', '?!'],
    ['one letter', 'a'],
    ['function words', 'it is what it is'],
    ['a blank', ' '],
    ['nothing', ''],
    ['a lone surrogate', '\ud800'],
    ['combining marks', '\u0301\u0323'.repeat(20)],
    ['Thai', 'สวัสดีครับ'],
    ['100,000 letters', 'ab'.repeat(50_000)],
  ])('gives a finite vector of length 1: %s', async (_kind, text) => {
    for (const purpose of ['document', 'query'] as const) {
      const vector = await embedOne(text, purpose);

      expect(vector).toHaveLength(1_024);
      expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    }
  });

  test('gives a finite vector of length 1 in any number of dimensions', async () => {
    const texts = fc.string({ unit: 'binary', maxLength: 200 });
    const sizes = fc.constantFrom(64, 100, 1_024, 4_096);
    const purposes = fc.constantFrom('document' as const, 'query' as const);

    await fc.assert(
      fc.asyncProperty(texts, sizes, purposes, async (text, dimensions, purpose) => {
        const [vector] = await new LocalEmbedder({ dimensions }).embed([text], purpose);
        expect(vector).toHaveLength(dimensions);
        expect(cosine(vector!, vector!)).toBeCloseTo(1, 4);
      }),
    );
  });

  test('other texts give other vectors, be they signs alone', async () => {
    expect(await similarity('🎉', '🚒')).toBeLessThan(0.5);
    expect(await similarity('?!', '...')).toBeLessThan(0.5);
  });
});

describe('a search', () => {
  const notes = [
    'Deployment: the service is deployed to Fly.io from the main branch by GitHub Actions',
    'Where there is smoke there is fire, we say',
    'We decided to have lunch at the Italian place',
    'The staging database is reset every Sunday',
    'Do we need a new logo?',
    'データベースは毎週日曜日にリセットされます',
    'Das Passwort wurde gestern zurückgesetzt',
    'Caroline went to the mountains with her children',
    'Thanks, Caroline!',
  ];

  test.each([
    ['where do we deploy', 'Deployment: the service is deployed to Fly.io from the main branch by GitHub Actions'],
    ['when is the database reset', 'The staging database is reset every Sunday'],
    ['new logos', 'Do we need a new logo?'],
    ['データベースのリセット', 'データベースは毎週日曜日にリセットされます'],
    ['Passwörter zurücksetzen', 'Das Passwort wurde gestern zurückgesetzt'],
    ['databse reste on sunday', 'The staging database is reset every Sunday'],
    ['Where did Caroline go with her kids?', 'Caroline went to the mountains with her children'],
    ['a new emblem for the brand', 'Do we need a new logo?'],
    ['midday meal', 'We decided to have lunch at the Italian place'],
  ])('finds the note for: %s', async (query, expected) => {
    const [first] = await rank(query, notes);

    expect(first).toBe(expected);
  });

  test('lets a rare word outweigh several common ones', async () => {
    const documents = ['We have to go and see what we can do about it', 'The kubectl rollout hung'];

    const [first] = await rank('what do we have to do about kubectl', documents);

    expect(first).toBe('The kubectl rollout hung');
  });
});

describe('two documents', () => {
  test.each([
    ['accents', 'The café in Sao Paulo', 'The cafe in São Paulo'],
    ['contractions', "We don't ship on Fridays", 'We do not ship on Fridays'],
    ['numbers in words', 'Anna has three cats', 'Anna has 3 cats'],
    ['units written apart', 'Standup is at 3pm', 'Standup is at 3 pm'],
    ['irregular forms', 'Tom bought the boat', 'Tom buys the boat'],
    ['British and American spelling', 'The colour of the organisation logo', 'The color of the organization logo'],
    ['articles', 'The user prefers dark mode', 'User prefers dark mode'],
  ])('are near-duplicates but for %s', async (_kind, one, other) => {
    expect(await similarity(one, other)).toBeGreaterThan(0.8);
  });

  test('may be one fact with an article more, not with another word', async () => {
    const threshold = embedder.semanticDedupeThreshold;

    expect(await similarity('The user prefers dark mode', 'User prefers dark mode')).toBeGreaterThan(threshold);
    expect(await similarity('The user prefers dark mode', 'The user prefers light mode')).toBeLessThan(threshold);
    expect(await similarity('The cat chased the dog', 'The dog chased the cat')).toBeLessThan(threshold);
  });

  test('of like meaning are closer than others without a common word', async () => {
    const like = await similarity('The physician treats children', 'A doctor cares for kids');

    expect(like).toBeGreaterThan(0.3);
    expect(like).toBeGreaterThan(2 * (await similarity('The physician treats children', 'Tabs over spaces')));
  });

  test('in other languages than English are compared by their terms alone', async () => {
    const former = new LocalEmbedder({ model: 'hashed-terms-1', dimensions: 768 });
    const texts = ['データベースは毎週日曜日にリセットされます', '日曜日にデータベースをリセットする'];

    const [one, other] = await former.embed(texts, 'document');

    expect(await similarity(texts[0]!, texts[1]!)).toBeCloseTo(cosine(one!, other!), 5);
  });

  test('without a common word are far apart, however short', async () => {
    expect(await similarity('Thanks!', 'Elephants')).toBeLessThan(0.3);
    expect(await similarity('The cat sleeps', 'Quarterly revenue grew')).toBeLessThan(0.3);
  });
});

test('the vectors of a batch are in the order of its texts, also when it takes turns with other work', async () => {
  const texts = Array.from({ length: 5 }, (_, index) => `text ${index} `.repeat(3_000));

  const together = await embedder.embed(texts, 'document');

  const alone = await Promise.all(texts.map((text) => embedOne(text)));
  expect(together).toEqual(alone);
});
