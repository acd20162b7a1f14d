import { describe, expect, test } from 'vitest';
import { VECTOR_BYTES } from '../../domain/memory/stored-bytes.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { capped, subscribe } from '../../testing/fixtures/subscriptions.js';

const MEMORIES = '/api/memories';
const USAGE = '/api/organization/usage';
/** The bytes of a memory with a content of one letter and no metadata. */
const ONE = VECTOR_BYTES + 1 + 2;

async function appWithRoomFor(bytes: number): Promise<TestApp> {
  const plan = { ingestPerMonth: 1_000, storageBytes: bytes };
  const app = await testApp({ billing: capped(plan), embedder: new LetterEmbedder() });
  await subscribe(app.deps, app.organizationId);
  return app;
}

async function usage(app: TestApp): Promise<{ ingest: number; storage: number }> {
  const { body } = await app.send('GET', USAGE);
  const [ingest, storage] = [body.ingest, body.storage] as { used: number }[];
  return { ingest: ingest!.used, storage: storage!.used };
}

const EXCEEDED = { status: 429, body: { code: 'quota_exceeded', error: expect.stringContaining('delete memories') } };

describe('the storage of a plan', () => {
  test('accepts a write that fits to the byte; rejects and does not count any beyond', async () => {
    const app = await appWithRoomFor(2 * ONE);

    const answers = [];
    for (const content of ['a', 'b', 'c']) answers.push(await app.send('POST', MEMORIES, { content }));

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(answers[2]).toMatchObject(EXCEEDED);
    expect(answers[2]?.body).toMatchObject({ storageBytes: 2 * ONE });
    expect(answers[2]?.body).not.toHaveProperty('resetsAt');
    expect(await usage(app)).toEqual({ ingest: 2, storage: 2 * ONE });
  });

  test('is freed by deletion', async () => {
    const app = await appWithRoomFor(ONE);
    const { body } = await app.send('POST', MEMORIES, { content: 'a' });
    const before = await app.send('POST', MEMORIES, { content: 'b' });

    await app.send('DELETE', `${MEMORIES}/${body.id}`);
    const after = await app.send('POST', MEMORIES, { content: 'b' });

    expect([before.status, after.status]).toEqual([429, 201]);
  });

  test('limits updates, upserts and merged metadata that add bytes, and nothing that does not', async () => {
    const app = await appWithRoomFor(ONE + 1);
    const { body } = await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'ab' });
    const path = `${MEMORIES}/${body.id}`;
    const metadata = { note: 'more' };

    const grown = [
      await app.send('PATCH', path, { content: 'abc' }),
      await app.send('PATCH', path, { metadata }),
      await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'abc' }),
      await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'ab', metadata }),
      await app.send('POST', MEMORIES, { content: 'ab', metadata }),
      await app.send('POST', MEMORIES, { content: 'AB!', metadata }),
    ];
    const fine = [
      await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'ab' }),
      await app.send('PATCH', path, { content: 'cd' }),
      await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'c' }),
    ];

    expect(grown.map(({ status }) => status)).toEqual(grown.map(() => 429));
    for (const answer of grown) expect(answer).toMatchObject(EXCEEDED);
    expect(fine.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await usage(app)).toEqual({ ingest: 2, storage: ONE });
  });

  test('rejects only the items of a batch for which there is no room', async () => {
    const app = await appWithRoomFor(2 * ONE);
    const items = [{ content: 'a' }, { content: 'b'.repeat(50) }, { content: 'c' }, { content: 'd' }];

    const { body } = await app.send('POST', `${MEMORIES}/batch`, { items, continueOnError: true });

    expect(body.results).toMatchObject([
      { outcome: 'created' },
      { error: { code: 'quota_exceeded' } },
      { outcome: 'created' },
      { error: { code: 'quota_exceeded' } },
    ]);
    expect(await usage(app)).toEqual({ ingest: 2, storage: 2 * ONE });
  });

  test('is not exceeded by writes at the same time', async () => {
    const app = await appWithRoomFor(5 * ONE);
    const letters = [...'abcdefghijkl'];

    const answers = await Promise.all(letters.map((content) => app.send('POST', MEMORIES, { content })));

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    expect(await usage(app)).toEqual({ ingest: 5, storage: 5 * ONE });
  });
});
