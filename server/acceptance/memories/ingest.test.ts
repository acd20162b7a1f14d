import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { countNormalizingSteps } from '../../testing/fixtures/normalizing-steps.js';

const PATH = '/api/memories';

describe('ingestMemory', () => {
  test('answers new content with 201, the record and the outcome created', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { content: 'Ana likes mornings.', metadata: { kind: 'note' } });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      content: 'Ana likes mornings.',
      metadata: { kind: 'note' },
      createdAt: expect.any(String),
      updatedAt: answer.body.createdAt,
      outcome: 'created',
    });
  });

  test('answers the same content again with 200 deduplicated, its metadata merged one level deep', async () => {
    const app = await testApp();
    const first = await app.send('POST', PATH, { content: 'same', metadata: { kept: 1, nested: { old: 1 } } });

    const again = await app.send('POST', PATH, { content: 'same', metadata: { nested: { new: 1 } } });

    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id: first.body.id, outcome: 'deduplicated', dedupe: 'exact' });
    expect(again.body.metadata).toEqual({ kept: 1, nested: { new: 1 } });
  });

  test('answers content that differs in case and punctuation with 200 merged_metadata, matched exactly', async () => {
    const app = await testApp();
    const first = await app.send('POST', PATH, { content: 'Deploys run on Fridays.' });

    const near = await app.send('POST', PATH, { content: 'deploys run on fridays', metadata: { heard: 'standup' } });

    expect(near.status).toBe(200);
    expect(near.body).toMatchObject({
      id: first.body.id,
      content: 'Deploys run on Fridays.',
      metadata: { heard: 'standup' },
    });
    expect(near.body).toMatchObject({ outcome: 'merged_metadata', dedupe: 'exact' });
  });

  test('answers content that says nearly the same with 200 merged_metadata, matched by meaning', async () => {
    const app = await testApp({ embedder: new LetterEmbedder() });
    const first = await app.send('POST', PATH, { content: 'The deploy runs on Fridays' });

    const near = await app.send('POST', PATH, { content: 'The deploys run on Fridays' });

    expect(near.status).toBe(200);
    expect(near.body).toMatchObject({ id: first.body.id, outcome: 'merged_metadata', dedupe: 'semantic' });
  });

  test('accepts an external key and a scope, and returns both', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { content: 'a', externalKey: 'k', scope: { source: 's' } });

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ externalKey: 'k', scope: { source: 's' } });
  });

  test('answers a key of other content with 409 and the conflicting id, and the same content with 200', async () => {
    const app = await testApp();
    const keyed = { externalKey: 'k', scope: { source: 's', project: 'p' } };
    const first = await app.send('POST', PATH, { ...keyed, content: 'one' });

    const other = await app.send('POST', PATH, { ...keyed, content: 'two' });
    const same = await app.send('POST', PATH, { ...keyed, content: 'one' });

    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ code: 'external_key_conflict', id: first.body.id });
    expect(same).toMatchObject({ status: 200, body: { outcome: 'deduplicated' } });
  });

  test('accepts a subject key of the type that the organization has chosen', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'integer' });

    const answer = await app.send('POST', PATH, { content: 'a', subjectKey: 17 });

    expect(answer).toMatchObject({ status: 201, body: { subjectKey: 17 } });
  });

  test('accepts content of exactly the maximum length, counted in code points', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { content: '😀'.repeat(100_000) });

    expect(answer.status).toBe(201);
  });
});

describe('ingestMemory normalizes in linear steps', () => {
  test.each([
    ['100,000 letters', 'x'.repeat(100_000), 201],
    ['100,000 words of a letter', 'x '.repeat(50_000), 201],
    ['100,000 letters with a mark', 'x\u0316'.repeat(50_000), 201],
    ['100,000 combining marks', '\u0301\u0316'.repeat(50_000), 422],
  ])('%s', async (_, content, status) => {
    const app = await testApp();
    const steps = countNormalizingSteps();

    const answer = await app.send('POST', PATH, { content });

    expect(answer.status).toBe(status);
    expect(steps()).toBeLessThan(100 * content.length);
  });
});

describe('ingestMemory rejects with 422', () => {
  test.each<[string, unknown, string]>([
    ['missing content', {}, 'content'],
    ['null content', { content: null }, 'content'],
    ['content that is a number', { content: 5 }, 'content'],
    ['empty content', { content: '' }, 'content'],
    ['blank content', { content: ' \n\t\u3000' }, 'content'],
    ['content one character too long', { content: 'x'.repeat(100_001) }, 'content'],
    ['a lone surrogate', '{"content":"a\\ud800"}', 'content'],
    ['U+0000', { content: 'a\0' }, 'content'],
    ['more than 30 combining marks in a row', { content: `e${'\u0301'.repeat(31)}` }, 'content'],
    ['metadata that is an array', { content: 'a', metadata: [] }, 'metadata'],
    ['metadata that is null', { content: 'a', metadata: null }, 'metadata'],
    ['an external key in the metadata', { content: 'a', metadata: { externalKey: 'k' } }, 'metadata.externalKey'],
    ['a subject key in the metadata', { content: 'a', metadata: { subjectKey: 1 } }, 'metadata.subjectKey'],
    ['a key __proto__ in the metadata', '{"content":"a","metadata":{"b":{"__proto__":{}}}}', 'metadata.b'],
    ['metadata of nine levels', { content: 'a', metadata: nested(9) }, expect.stringMatching(/^metadata/) as never],
    ['metadata of 257 keys', { content: 'a', metadata: keys(257) }, 'metadata'],
    ['metadata over 64 KiB', { content: 'a', metadata: { k: 'x'.repeat(65_536) } }, 'metadata'],
    ['a metadata key of 257 characters', { content: 'a', metadata: { ['k'.repeat(257)]: 1 } }, 'metadata'],
    [
      'a chunk without its total',
      { content: 'a', metadata: { documentId: 'd', chunkIndex: 0 } },
      'metadata.chunkTotal',
    ],
    ['a chunk after the last', { content: 'a', metadata: chunk(3, 3) }, 'metadata.chunkIndex'],
    ['a chunk before the first', { content: 'a', metadata: chunk(-1, 3) }, 'metadata.chunkIndex'],
    ['a fractional chunk number', { content: 'a', metadata: chunk(0.5, 3) }, 'metadata.chunkIndex'],
    ['a numeric documentId', { content: 'a', metadata: { ...chunk(0, 1), documentId: 7 } }, 'metadata.documentId'],
    ['an empty external key', { content: 'a', externalKey: '' }, 'externalKey'],
    ['an external key of 513 characters', { content: 'a', externalKey: 'k'.repeat(513) }, 'externalKey'],
    ['an external key that is a number', { content: 'a', externalKey: 5 }, 'externalKey'],
    ['an unknown key of the scope', { content: 'a', externalKey: 'k', scope: { team: 'x' } }, 'scope.team'],
    ['an empty value in the scope', { content: 'a', externalKey: 'k', scope: { source: '' } }, 'scope.source'],
    ['a scope that is a string', { content: 'a', externalKey: 'k', scope: 's' }, 'scope'],
    ['an unknown field', { content: 'a', colour: 'red' }, 'colour'],
    ['a field __proto__', '{"content":"a","__proto__":{"x":1}}', '__proto__'],
    ['a body that is a list', [{ content: 'a' }], ''],
    ['a body that is a string', '"content"', ''],
    ['a body that is null', 'null', ''],
    ['a query parameter', undefined, 'dryRun'],
  ])('%s, naming the field', async (_, body, path) => {
    const app = await testApp();

    const target = path === 'dryRun' ? `${PATH}?dryRun=true` : PATH;
    const answer = await app.send('POST', target, body ?? { content: 'a' });

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'validation_failed' });
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
    expect(await countMemories(app)).toBe(0);
  });

  test.each<[string, 'integer' | 'string' | undefined, unknown]>([
    ['a subject key before the type is chosen', undefined, 'user-1'],
    ['a string where subject keys are integers', 'integer', '17'],
    ['an integer where subject keys are strings', 'string', 17],
    ['an integer beyond the safe range of a double', 'integer', 2 ** 53],
    ['an empty string', 'string', ''],
    ['a string of 513 characters', 'string', 'k'.repeat(513)],
  ])('%s, with the code subject_key_invalid', async (_, subjectKeyType, subjectKey) => {
    const app = await testApp();
    if (subjectKeyType) await app.send('PATCH', '/api/organization/settings', { subjectKeyType });

    const answer = await app.send('POST', PATH, { content: 'a', subjectKey });

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'subject_key_invalid', details: [{ path: 'subjectKey' }] });
  });

  test.each([1.5, true, null, {}, []])('%j as a subject key, whatever the type', async (subjectKey) => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { content: 'a', subjectKey });

    expect(answer.status).toBe(422);
  });

  test('without repeating what was sent', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, {
      content: 17,
      metadata: 'sesame',
      scope: { source: 'sesame'.repeat(99) },
    });

    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('sesame');
  });
});

async function countMemories(app: TestApp): Promise<unknown> {
  const { body } = await app.send('GET', '/api/memories/stats');
  return (body.meta as { total: number }).total;
}

function nested(levels: number): Record<string, unknown> {
  return levels === 1 ? { leaf: {} } : { inner: nested(levels - 1) };
}

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}

function chunk(chunkIndex: number, chunkTotal: number): Record<string, unknown> {
  return { documentId: 'handbook', chunkIndex, chunkTotal };
}
