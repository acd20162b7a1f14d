import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const PATH = '/api/organization/usage';

describe('getUsage', () => {
  test('counts accepted ingests and successful searches, and no replay, get or failure', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    const { body } = await app.send('POST', '/api/memories', { content: 'alpha' });
    await app.send('POST', '/api/memories', { content: 'alpha' });
    await app.send('POST', '/api/memories', { content: 'ALPHA!', metadata: { seen: 1 } });
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'beta' });
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'gamma' });
    await app.send('PATCH', `/api/memories/${body.id}`, { content: 'delta' });
    await app.send('POST', '/api/memories', { content: '' });
    await app.send('GET', `/api/memories/${body.id}`);
    await app.send('GET', '/api/memories/recent');
    await app.send('GET', '/api/memories/stats');
    await app.send('GET', '/api/memories/recent?limit=0');
    embedder.down = true;
    await app.send('POST', '/api/memories/search', { query: 'alpha' });

    const answer = await app.send('GET', PATH);

    expect(answer).toMatchObject({
      status: 200,
      body: { ingest: { used: 4, cap: null }, search: { used: 2, cap: null } },
    });
  });

  test('counts stored bytes: content, metadata and a constant for the vector, and nothing for deleted memories', async () => {
    const app = await testApp({ embedder: new LetterEmbedder() });
    const used = async () => ((await app.send('GET', PATH)).body.storage as { used: number }).used;
    const counts = [await used()];

    const { body } = await app.send('POST', '/api/memories', { content: 'größer', metadata: { a: 1 } });
    counts.push(await used());
    await app.send('PATCH', `/api/memories/${body.id}`, { content: 'a', metadata: { b: true } });
    counts.push(await used());
    await app.send('DELETE', `/api/memories/${body.id}`);
    counts.push(await used());

    expect(counts).toEqual([0, 8 + 7 + 4_096, 1 + 16 + 4_096, 0]);
  });

  test('answers the calendar month in UTC if there is no subscription', async () => {
    const app = await testApp({ now: () => Date.UTC(2026, 11, 31, 23, 59, 59) * 1_000 });

    const answer = await app.send('GET', PATH);

    expect(answer.body.period).toEqual({
      startsAt: '2026-12-01T00:00:00.000000Z',
      endsAt: '2027-01-01T00:00:00.000000Z',
    });
  });
});
