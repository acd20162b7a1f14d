import { describe, expect, test } from 'vitest';
import { tendAll } from '../../services/upkeep/tend.js';
import { testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/usage/days';
const NOON = Date.parse('2026-03-02T12:00:00Z') * 1_000;
const DAY_US = 86_400_000_000;
const NONE = { stored: 0, merged: 0, replayed: 0, searched: 0 };

describe('listDailyUsage', () => {
  test('counts writes by outcome and metered reads, on their days', async () => {
    const clock = { now: NOON };
    const app = await testApp({ now: () => clock.now });
    const { body: made } = await app.send('POST', '/api/memories', { content: 'a', metadata: { kind: 'x' } });
    await app.send('POST', '/api/memories', { content: 'a', metadata: { kind: 'x' } });
    await app.send('POST', '/api/memories/batch', { items: [{ content: 'b' }, { content: 'c' }, { content: '' }] });
    clock.now += DAY_US;
    await app.send('PATCH', `/api/memories/${made.id}`, { metadata: { kind: 'y' } });
    await app.send('DELETE', `/api/memories/${made.id}`);
    await app.send('GET', '/api/memories/recent');
    await app.send('GET', `/api/memories/${made.id}`);

    const { body } = await app.send('GET', `${PATH}?limit=3`);

    expect(body.days).toEqual([
      { ...NONE, day: '2026-03-01' },
      { ...NONE, day: '2026-03-02', stored: 3, replayed: 1 },
      { ...NONE, day: '2026-03-03', stored: 1, searched: 1 },
    ]);
  });

  test('returns 90 days unless fewer are requested', async () => {
    const app = await testApp({ now: () => NOON });

    const { body } = await app.send('GET', PATH);

    const days = body.days as { day: string }[];
    expect(days).toHaveLength(90);
    expect([days[0]?.day, days[89]?.day]).toEqual(['2025-12-03', '2026-03-02']);
    expect((await app.send('GET', `${PATH}?limit=91`)).status).toBe(422);
  });

  test('has no days older than 90 after the upkeep', async () => {
    const clock = { now: NOON };
    const app = await testApp({ now: () => clock.now });
    await app.send('POST', '/api/memories', { content: 'a' });
    clock.now += DAY_US;
    await app.send('POST', '/api/memories', { content: 'b' });
    clock.now += 89 * DAY_US;

    await tendAll(app.deps);

    const kept = await app.deps.store.usage.days(app.organizationId, '');
    expect(kept.map(({ day }) => day)).toEqual(['2026-03-03']);
  });
});
