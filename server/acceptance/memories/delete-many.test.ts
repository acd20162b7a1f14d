import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/memories';
const MANY = `${PATH}/delete`;

async function stored(app: TestApp, count: number, project = 'p', headers = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 50) {
    const items = Array.from({ length: Math.min(50, count - from) }, (_, n) => ({
      content: `memory ${from + n} of ${project}`,
      metadata: { project },
    }));
    const { body } = await app.send('POST', `${PATH}/batch`, { items }, headers);
    ids.push(...(body.results as { id: string }[]).map(({ id }) => id));
  }
  return ids;
}

describe('deleteMemories by ids', () => {
  test('deletes active memories, and returns the other ids', async () => {
    const app = await testApp();
    const [kept, before, ...ids] = await stored(app, 4);
    await app.send('DELETE', `${PATH}/${before}`);
    const unknown = app.deps.newId();

    const answer = await app.send('POST', MANY, { ids: [...ids, ids[0], before, unknown, 'no id'] });

    expect(answer).toMatchObject({
      status: 200,
      body: { deleted: 2, missing: [before, unknown, 'no id'], remaining: 0 },
    });
    expect((await app.send('GET', `${PATH}/recent`)).body.results).toMatchObject([{ id: kept }]);
  });

  test('deletes none of another organization', async () => {
    const app = await testApp();
    const { token } = await foundOrganization(app.deps);
    const headers = { authorization: `Bearer ${token}` };
    const [foreign] = await stored(app, 1, 'p', headers);

    const answer = await app.send('POST', MANY, { ids: [foreign] });

    expect(answer.body).toEqual({ deleted: 0, missing: [foreign], remaining: 0 });
    expect((await app.send('GET', `${PATH}/${foreign}`, undefined, headers)).status).toBe(200);
  });

  test('records one audit event for each memory, with a common batch id, and one change each', async () => {
    const app = await testApp();
    const ids = await stored(app, 3);

    await app.send('POST', MANY, { ids });

    const audit = await app.send('GET', '/api/organization/audit-events?action=memory.delete');
    const events = audit.body.auditEvents as { memoryId: string; batchId: string }[];
    expect(events.map(({ memoryId }) => memoryId).sort()).toEqual([...ids].sort());
    expect(new Set(events.map(({ batchId }) => batchId)).size).toBe(1);
    const feed = await app.send('GET', `${PATH}/changes?since=2020-01-01&includeDeleted=true`);
    expect(feed.body.changes).toMatchObject(ids.map((id) => ({ id, change: 'deleted' })));
  });
});

describe('deleteMemories by a filter', () => {
  test('deletes all that match, over many units of work, as one request of the rate limit', async () => {
    const app = await testApp();
    await stored(app, 230);
    const [other] = await stored(app, 1, 'other');

    const answer = await app.send('POST', MANY, { filter: { project: 'p' }, expectedCount: 230 });

    expect(answer).toMatchObject({ status: 200, body: { deleted: 230, missing: [], remaining: 0 } });
    expect((await app.send('GET', `${PATH}/recent`)).body.results).toMatchObject([{ id: other }]);
    const admin = app.rateLimiter.consumed.filter(({ limitClass }) => limitClass === 'admin');
    expect(admin).toHaveLength(1);
  });

  test('is rejected with the count if that differs from the expected one, and deletes nothing', async () => {
    const app = await testApp();
    await stored(app, 3);

    for (const expectedCount of [0, 2, 4]) {
      const refused = await app.send('POST', MANY, { filter: { project: 'p' }, expectedCount });
      expect(refused).toMatchObject({ status: 409, body: { code: 'count_mismatch', count: 3 } });
    }

    expect((await app.send('GET', `${PATH}/stats`)).body.meta).toMatchObject({ total: 3 });
  });

  test.each([
    [{ filter: {}, expectedCount: 0 }, 'filter'],
    [{ filter: { project: 'p' } }, ''],
    [{ expectedCount: 1 }, ''],
    [{ ids: ['x'], expectedCount: 1 }, 'ids'],
    [{ ids: [] }, 'ids'],
    [{ ids: Array.from({ length: 1_001 }, (_, n) => `${n}`) }, 'ids'],
    [{}, ''],
  ])('rejects %j', async (body, path) => {
    const app = await testApp();

    const refused = await app.send('POST', MANY, body);

    expect(refused).toMatchObject({ status: 422, body: { details: [{ path }] } });
  });
});
