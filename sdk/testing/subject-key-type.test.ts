import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp } from '../../server/testing/app/test-app.js';
import { StandInService } from './index.js';

const BASE_URL = 'http://memory.test';
const MEMORIES = '/api/memories';
const FILTER = { subjectKey: 'user-1' };
const QUERY = `filter=${encodeURIComponent(JSON.stringify(FILTER))}`;
/** Every request that may have a subject key. */
const REQUESTS: [method: string, path: string, body?: unknown][] = [
  ['POST', MEMORIES, { content: 'a', subjectKey: 'user-1' }],
  ['PUT', MEMORIES, { content: 'a', externalKey: 'k', subjectKey: 'user-1' }],
  ['POST', `${MEMORIES}/batch`, { items: [{ content: 'a', subjectKey: 'user-1' }] }],
  ['POST', `${MEMORIES}/import`, { items: [{ content: 'a', subjectKey: 'user-1' }] }],
  ['POST', `${MEMORIES}/search`, { query: 'a', filter: FILTER }],
  ['POST', `${MEMORIES}/delete`, { filter: FILTER, expectedCount: 0 }],
  ['GET', `${MEMORIES}/recent?${QUERY}`],
  ['GET', `${MEMORIES}/stats?${QUERY}`],
  ['GET', `${MEMORIES}/export?${QUERY}`],
  ['GET', `${MEMORIES}/changes?since=2020-01-01&${QUERY}`],
  ['GET', '/api/documents?subjectKey=user-1'],
  ['GET', '/api/documents/handbook?subjectKey=user-1'],
  ['DELETE', '/api/documents/handbook?subjectKey=user-1'],
];

const network = setupServer();
beforeAll(() => network.listen({ onUnhandledRequest: 'bypass' }));
afterAll(() => network.close());

test.each([null, 'string', 'integer'] as const)(
  'a stand-in whose subject keys have the type %j responds to them like the service, word for word',
  async (subjectKeyType) => {
    const { port, token } = await serviceOf(subjectKeyType);
    network.resetHandlers(...new StandInService({ baseUrl: BASE_URL, subjectKeyType }).handlers);

    for (const request of REQUESTS) {
      const real = await refusalOf(`http://127.0.0.1:${port}`, token, request);
      const stood = await refusalOf(BASE_URL, token, request);
      expect([request, stood]).toEqual([request, real]);
    }
  },
);

async function serviceOf(subjectKeyType: 'string' | 'integer' | null): Promise<{ port: number; token: string }> {
  const app = await testApp();
  if (subjectKeyType) await app.send('PATCH', '/api/organization/settings', { subjectKeyType });
  return app;
}

/** Returns the status and, of a refusal, its code. If it is about a subject key, also its message and details. */
async function refusalOf(
  baseUrl: string,
  token: string,
  [method, path, body]: (typeof REQUESTS)[number],
): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text.startsWith('{') && !text.includes('\n{') ? JSON.parse(text) : {};
  const { code, message = parsed.error, details } = parsed.results?.[0]?.error ?? parsed;
  const isSubjectKey = code === 'subject_key_invalid';
  return { status: response.status, code, ...(isSubjectKey && { message, details }) };
}
