import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp } from '../../server/testing/app/test-app.js';
import { StandInService } from './index.js';

const BASE_URL = 'http://memory.test';
const network = setupServer();

beforeAll(() => network.listen({ onUnhandledRequest: 'bypass' }));
afterAll(() => network.close());

/** A request. `#n` in a path or a query is replaced by the id in response n, `@n` by its cursor. */
type Step = [method: string, path: string, body?: unknown];

const doc = (chunkIndex: number, chunkTotal = 2) => ({ documentId: 'd', chunkIndex, chunkTotal });
const query = (filter: object, rest = '') => `?filter=${encodeURIComponent(JSON.stringify(filter))}${rest}`;

/** Valid and invalid comparisons. */
const WHERES = [
  { chunkIndex: { gte: 1 } },
  { kind: { gt: 'doc', lte: 'page' }, done: { exists: true } },
  { kind: { ne: 'doc' } },
  { kind: { in: ['doc', null], nin: ['page'] } },
  { chunkIndex: { gt: '0' } },
  { done: { exists: false } },
  { createdAt: { gte: '2020-01-01T00:00:00Z', lt: '2100-01-01T00:00:00.000001Z' } },
  { updatedAt: { lt: '2020-01-01T00:00:00Z' } },
  { kind: {} },
  { kind: { like: 'x' } },
  { kind: { in: 'doc' } },
  { kind: { gt: null } },
  { kind: { exists: 'true' } },
  { n: { eq: 2 ** 53 } },
  { externalKey: { eq: 'k' } },
  { createdAt: { gt: 'yesterday' } },
];

const ELSEWHERE = '0198c5a2-8a44-7f00-8c1d-5b7e9a2d6f02';
const GONE = '0198c5a2-8a44-7f00-8c1d-5b7e9a2d6f03';

const SCRIPTS: Record<string, Step[]> = {
  'ingests and de-duplicates': [
    ['POST', '/api/memories', { content: 'Ana leads.', metadata: { kind: 'note', deep: { a: 1 } } }],
    ['POST', '/api/memories', { content: 'Ana leads.', metadata: { deep: { b: 2 } } }],
    ['POST', '/api/memories', { content: 'ana leads', metadata: { seen: true } }],
    ['POST', '/api/memories', { content: 'Ana leads.', subjectKey: 'ana' }],
    ['POST', '/api/memories', { content: 'Ana leads.', externalKey: 'k' }],
    ['POST', '/api/memories', { content: 'Ana leads.', externalKey: 'other' }],
    ['POST', '/api/memories', { content: 'caf\u00e9' }],
    ['POST', '/api/memories', { content: 'cafe\u0301' }],
    ['GET', '/api/memories/#0'],
  ],
  'imports memories': [
    ['POST', '/api/memories', { content: 'here', externalKey: 'h' }],
    [
      'POST',
      '/api/memories/import',
      {
        items: [
          { id: ELSEWHERE, content: 'old', externalKey: 'k', createdAt: '2024-05-01', updatedAt: '2024-05-03' },
          { memoryId: ELSEWHERE, version: 3, content: 'older', updatedAt: '2024-05-01', replacedAt: '2024-05-02' },
          { memoryId: ELSEWHERE, version: 2, content: 'lower', updatedAt: '2024-05-01', replacedAt: '2024-05-02' },
          { memoryId: ELSEWHERE, version: 4, content: 'same', updatedAt: '2024-05-01', replacedAt: '2024-05-02' },
          { memoryId: ELSEWHERE, version: 4, content: 'late', updatedAt: '2024-05-01', replacedAt: '2999-01-01' },
          { memoryId: 'unknown', version: 1, content: 'x', updatedAt: '2024-05-01', replacedAt: '2024-05-02' },
          { memoryId: ELSEWHERE, version: 0, content: 'x', updatedAt: '2024-05-01', replacedAt: '2024-05-02' },
          { content: 'here' },
          { content: 'here', externalKey: 'h' },
          { content: 'here', externalKey: 'other' },
          { content: 'other', externalKey: 'h' },
          { id: GONE, content: 'gone', createdAt: '2024-05-01', updatedAt: '2024-05-02', deletedAt: '2024-05-02' },
          { content: 'gone without id', deletedAt: '2024-05-02' },
          { id: 'no uuid', content: 'a' },
          { content: 'a', createdAt: '2999-01-01' },
          { content: 'a', createdAt: 'yesterday' },
          { content: 'a', createdAt: '2024-05-02', updatedAt: '2024-05-01' },
          { content: 'a', other: 1 },
          { content: '' },
          { content: 'mirrored', subjectKey: 'ana', metadata: { subjectKey: 'ana', kind: 'note' } },
          { content: 'not mirrored', subjectKey: 'ana', metadata: { subjectKey: 'ben' } },
          7,
        ],
      },
    ],
    [
      'POST',
      '/api/memories/import',
      {
        items: [
          { id: ELSEWHERE, content: 'old' },
          { id: ELSEWHERE, content: 'new' },
        ],
      },
    ],
    ['GET', '/api/memories/export?includeDeleted=true'],
    ['GET', '/api/memories/changes?since=2020-01-01&includeDeleted=true'],
    ['PATCH', `/api/memories/${ELSEWHERE}`, { content: 'changed' }],
    ['GET', `/api/memories/${ELSEWHERE}/versions`],
    ['GET', '/api/memories/versions?limit=1'],
    ['GET', '/api/memories/versions?limit=1&cursor=@7'],
    ['GET', `/api/memories/${GONE}/versions`],
    ['GET', `/api/memories/${GONE}/versions?includeDeleted=true`],
    ['POST', '/api/memories/import', { items: [] }],
    ['POST', '/api/memories/import', {}],
  ],
  'stores distinct memories beside equal ones': [
    ['POST', '/api/memories', { content: 'Same.', dedupe: 'off' }],
    ['POST', '/api/memories', { content: 'Same.', dedupe: 'off' }],
    ['POST', '/api/memories', { content: 'Same.' }],
    ['POST', '/api/memories', { content: 'same', dedupe: 'off' }],
    ['POST', '/api/memories', { content: 'same' }],
    ['PUT', '/api/memories', { content: 'Same.', externalKey: 'a' }],
    ['PUT', '/api/memories', { content: 'Same.', externalKey: 'a', dedupe: 'off' }],
    ['PUT', '/api/memories', { content: 'Same.', externalKey: 'b', dedupe: 'off' }],
    ['PUT', '/api/memories', { content: 'Same.', externalKey: 'b' }],
    ['PUT', '/api/memories', { content: 'Same.', externalKey: 'b', dedupe: 'on' }],
    ['PUT', '/api/memories', { content: 'Other.', externalKey: 'b' }],
    ['PATCH', '/api/memories/#6', { content: 'Same.' }],
    ['PUT', '/api/memories', { content: 'Other.', externalKey: 'b', dedupe: 'on' }],
    ['POST', '/api/memories', { content: 'Same.', externalKey: 'a' }],
    ['POST', '/api/memories', { content: 'Same.', dedupe: 'no' }],
    ['DELETE', '/api/memories/#0'],
    ['POST', '/api/memories/#0/restore'],
    ['POST', '/api/memories/batch', { items: [{ content: 'Same.', dedupe: 'off' }, { content: 'Same.' }] }],
    [
      'POST',
      '/api/memories/import',
      {
        items: [
          { content: 'Same.', externalKey: 'c', distinct: true },
          { content: 'Same.', externalKey: 'c', distinct: true },
          { content: 'Same.', externalKey: 'c' },
          { content: 'Same.', distinct: true },
          { content: 'Same.', dedupe: 'off' },
          { content: 'Same.', distinct: false },
        ],
      },
    ],
    ['GET', '/api/memories/export'],
  ],
  'restores a deleted memory by its key': [
    ['PUT', '/api/memories', { content: 'One.', externalKey: 'k', metadata: { a: 1 } }],
    ['DELETE', '/api/memories/#0'],
    ['PUT', '/api/memories', { content: 'Two.', externalKey: 'k' }],
    ['PUT', '/api/memories', { content: 'Two.', externalKey: 'k', restoreDeleted: false }],
    ['PUT', '/api/memories', { content: 'Two.', externalKey: 'k', metadata: { b: 2 }, restoreDeleted: true }],
    ['PUT', '/api/memories', { content: 'Two.', externalKey: 'k', restoreDeleted: true }],
    ['GET', '/api/memories/#0/versions'],
    ['GET', '/api/memories/changes?since=2020-01-01'],
    ['DELETE', '/api/memories/#0'],
    ['POST', '/api/memories', { content: 'Two.' }],
    ['PUT', '/api/memories', { content: 'Two.', externalKey: 'k', restoreDeleted: true }],
    ['PUT', '/api/memories', { content: 'Two.', externalKey: 'k', restoreDeleted: true, dedupe: 'off' }],
    ['PUT', '/api/memories', { content: 'New.', externalKey: 'new', restoreDeleted: true }],
    ['PUT', '/api/memories', { content: 'New.', externalKey: 'new', restoreDeleted: 'true' }],
    ['POST', '/api/memories', { content: 'New.', externalKey: 'new', restoreDeleted: true }],
    ['DELETE', '/api/memories/#12'],
    [
      'POST',
      '/api/memories/batch',
      {
        items: [
          { content: 'New.', externalKey: 'new' },
          { content: 'New.', externalKey: 'new', restoreDeleted: true },
          { content: 'New.', restoreDeleted: true },
        ],
      },
    ],
  ],
  'rejects numbers that JSON rounds': [
    ['POST', '/api/memories', { content: 'a', metadata: { n: 2 ** 53 } }],
    ['POST', '/api/memories/search', { query: 'a', filter: { match: { n: 2 ** 53 } } }],
    ['GET', `/api/memories/recent${query({ match: { n: 2 ** 53 } })}`],
  ],
  'stores equal chunks in different places separately': [
    ['POST', '/api/memories', { content: 'same', metadata: doc(0) }],
    ['POST', '/api/memories', { content: 'same', metadata: doc(1) }],
    ['POST', '/api/memories', { content: 'same', metadata: doc(0, 3) }],
    ['POST', '/api/memories', { content: 'Same.', metadata: doc(1) }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'same', metadata: { ...doc(0), documentId: 'e' } }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'same', metadata: doc(2, 3) }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'same', metadata: doc(1) }],
    ['PATCH', '/api/memories/#0', { metadata: doc(1) }],
  ],
  'lists, reads and deletes documents': [
    ['POST', '/api/memories', { content: 'one', metadata: doc(0, 4), scope: { project: 'p' } }],
    ['POST', '/api/memories', { content: 'é', metadata: doc(3, 4) }],
    ['POST', '/api/memories', { content: 'other one', metadata: doc(0, 4) }],
    ['POST', '/api/memories', { content: 'long', metadata: { documentId: 'a/b', chunkIndex: 0, chunkTotal: 1 } }],
    ['POST', '/api/memories', { content: 'hers', metadata: doc(0), subjectKey: 'ana' }],
    ['POST', '/api/memories', { content: 'his', metadata: { ...doc(0), documentId: 'e' }, subjectKey: 'ben' }],
    ['POST', '/api/memories', { content: 'no chunk' }],
    ['GET', '/api/documents?limit=2'],
    ['GET', '/api/documents?cursor=@7'],
    ['GET', '/api/documents?subjectKey=ana'],
    ['GET', '/api/documents?cursor=x'],
    ['GET', '/api/documents?limit=0'],
    ['GET', '/api/documents/d'],
    ['GET', '/api/documents/d?from=1'],
    ['GET', '/api/documents/d?from=9'],
    ['GET', '/api/documents/d?from=x'],
    ['GET', '/api/documents/d?subjectKey=ana'],
    ['GET', '/api/documents/a%2Fb'],
    ['GET', '/api/documents/e'],
    ['GET', '/api/documents/unknown'],
    ['DELETE', '/api/documents/d'],
    ['GET', '/api/documents/d'],
    ['DELETE', '/api/documents/unknown'],
    ['POST', '/api/memories', { content: 'his too', metadata: doc(0), subjectKey: 'ben' }],
    ['GET', '/api/documents/d'],
    ['DELETE', '/api/documents/d?subjectKey=ben'],
    ['GET', '/api/documents'],
  ],
  'separates keys by scope and rejects conflicts': [
    ['POST', '/api/memories', { content: 'one', externalKey: 'k' }],
    ['POST', '/api/memories', { content: 'one', externalKey: 'k', metadata: { a: 1 } }],
    ['POST', '/api/memories', { content: 'two', externalKey: 'k' }],
    ['POST', '/api/memories', { content: 'two', externalKey: 'k', scope: { source: 's' } }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'one', metadata: { b: 2 } }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'three' }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'two' }],
    ['PUT', '/api/memories', { externalKey: 'new', content: 'three' }],
    ['PUT', '/api/memories', { externalKey: 'new', content: 'four' }],
    ['PUT', '/api/memories', { content: 'five' }],
  ],
  'changes and deletes': [
    ['PUT', '/api/memories', { externalKey: 'k', content: 'one', metadata: { a: 1, b: 2 } }],
    ['POST', '/api/memories', { content: 'other' }],
    ['PATCH', '/api/memories/#0', { metadata: { b: 3 } }],
    ['PATCH', '/api/memories/#0', { metadata: { c: 4 }, metadataReplace: '1' }],
    ['PATCH', '/api/memories/#0', { content: 'other' }],
    ['PUT', '/api/memories/#0', { content: 'changed', subjectKey: 'ana' }],
    ['PATCH', '/api/memories/#0', {}],
    ['PATCH', '/api/memories/#0', { metadataReplace: true }],
    ['PATCH', '/api/memories/no-id', { content: 'a' }],
    ['DELETE', '/api/memories/#0'],
    ['DELETE', '/api/memories/#0'],
    ['GET', '/api/memories/#0'],
    ['GET', '/api/memories/#0?includeDeleted=true'],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'again' }],
    ['POST', '/api/memories', { externalKey: 'k', content: 'again' }],
  ],
  'restores, purges and deletes many': [
    ['PUT', '/api/memories', { externalKey: 'k', content: 'one', metadata: { kind: 'a' } }],
    ['DELETE', '/api/memories/#0'],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'one' }],
    ['POST', '/api/memories/batch', { items: [{ externalKey: 'k', content: 'one' }] }],
    ['POST', '/api/memories', { content: 'one' }],
    ['POST', '/api/memories/#0/restore'],
    ['DELETE', '/api/memories/#4'],
    ['POST', '/api/memories/#0/restore'],
    ['POST', '/api/memories/#0/restore'],
    ['POST', '/api/memories/#0/purge'],
    ['POST', '/api/memories/#4/purge'],
    ['POST', '/api/memories/#4/restore'],
    ['GET', '/api/memories/changes?since=2020-01-01&includeDeleted=true'],
    ['POST', '/api/memories/delete', { filter: { kind: 'a' }, expectedCount: 2 }],
    ['POST', '/api/memories/delete', { filter: { kind: 'a' }, expectedCount: 1 }],
    ['POST', '/api/memories/delete', { ids: ['unknown'] }],
    ['POST', '/api/memories/delete', { filter: {}, expectedCount: 0 }],
    ['POST', '/api/memories/delete', { ids: ['x'], expectedCount: 0 }],
    ['POST', '/api/memories/delete', {}],
  ],
  'stores the time at which a memory expires': [
    ['POST', '/api/memories', { content: 'a', expiresAt: '2222-01-01T00:00:00Z' }],
    ['POST', '/api/memories', { content: 'a', expiresAt: '2111-01-01' }],
    ['PATCH', '/api/memories/#0', { expiresAt: '2233-01-01T00:00:00Z' }],
    ['POST', '/api/memories', { content: 'a' }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'b', expiresAt: '2222-01-01T00:00:00Z' }],
    ['PUT', '/api/memories', { externalKey: 'k', content: 'b' }],
    ['PATCH', '/api/memories/#4', { expiresAt: null }],
    ['POST', '/api/memories', { content: 'c', expiresAt: '2020-01-01' }],
    ['POST', '/api/memories', { content: 'c', expiresAt: 7 }],
  ],
  'rejects requests that are not valid': [
    ['POST', '/api/memories', { content: ' ' }],
    ['POST', '/api/memories', { content: 7 }],
    ['POST', '/api/memories', {}],
    ['POST', '/api/memories', { content: 'a', unknown: 1 }],
    ['POST', '/api/memories', { content: 'a', metadata: [] }],
    ['POST', '/api/memories', { content: 'a', metadata: { externalKey: 'k' } }],
    ['POST', '/api/memories', { content: 'a', metadata: { documentId: 'd' } }],
    ['POST', '/api/memories', { content: 'a', metadata: doc(2) }],
    ['POST', '/api/memories', { content: 'a', subjectKey: 7 }],
    ['POST', '/api/memories', { content: 'a\u0000' }],
    ['GET', '/api/memories/recent?limit=51'],
    ['GET', '/api/memories/recent?includeDeleted=yes'],
    ['GET', '/api/memories/export?cursor=x'],
    ['GET', '/api/memories/changes'],
    ['POST', '/api/memories/search', { query: ' ' }],
    ['POST', '/api/memories/search', { query: 'a', limit: 0 }],
    ['GET', `/api/memories/recent${query({ unknown: 1 })}`],
  ],
  'accepts batches': [
    [
      'POST',
      '/api/memories/batch',
      { items: [{ content: 'a' }, { content: ' ' }, { content: 'a' }, { externalKey: 'k', content: 'b' }] },
    ],
    ['POST', '/api/memories/batch', { items: [{ content: '' }, { content: 'c' }], continueOnError: '0' }],
    ['POST', '/api/memories/batch', { items: Array.from({ length: 51 }, () => ({ content: 'a' })) }],
  ],
  'filters, lists, counts and pages': [
    [
      'PUT',
      '/api/memories',
      { externalKey: 'k', content: 'Deploys run on Fridays.', metadata: { kind: 'page', done: true } },
    ],
    ['POST', '/api/memories', { content: 'Part one.', metadata: { ...doc(0), kind: 'doc' } }],
    ['POST', '/api/memories', { content: 'Part two.', metadata: { ...doc(1), kind: 'doc' } }],
    ['POST', '/api/memories', { content: 'Ana prefers mornings.', subjectKey: 'ana', metadata: { kind: 'note' } }],
    ['DELETE', '/api/memories/#1'],
    ['GET', `/api/memories/recent${query({ kind: 'doc' })}`],
    ['GET', `/api/memories/recent${query({ kind: 'doc' }, '&includeDeleted=1')}`],
    ['GET', `/api/memories/recent${query({ subjectKey: 'ana' })}`],
    ['GET', `/api/memories/recent${query({ subjectKey: 7 })}`],
    ['GET', `/api/memories/recent${query({ match: { done: true } })}`],
    ['GET', `/api/memories/recent${query({ match: { externalKey: 'k' } })}`],
    ...WHERES.map((where): Step => ['GET', `/api/memories/recent${query({ where })}`]),
    ['GET', '/api/memories/recent?limit=1'],
    ['GET', '/api/memories/stats'],
    ['GET', `/api/memories/stats${query({ kind: 'doc' }, '&includeDeleted=true')}`],
    ['GET', '/api/memories/export?limit=2'],
    ['GET', '/api/memories/export?includeDeleted=true'],
    ['GET', '/api/memories/changes?since=2020-01-01&limit=2'],
    ['GET', '/api/memories/changes?since=2020-01-01&cursor=@16&includeDeleted=true'],
    ['GET', '/api/memories/changes?since=2100-01-01'],
    ['POST', '/api/memories/search', { query: 'when do deploys run', limit: 1 }],
    ['POST', '/api/memories/search', { query: 'mornings', filter: { subjectKey: 'ana' } }],
    ['POST', '/api/memories/search', { query: 'when do deploys run', groupBy: 'documentId', limit: 1 }],
    ['POST', '/api/memories/search', { query: 'a', groupBy: 'kind' }],
  ],
  'restores versions': [
    ['POST', '/api/memories', { content: 'first', metadata: { kind: 'note' }, externalKey: 'k' }],
    ['PATCH', '/api/memories/#0', { content: 'second', metadata: { seen: true }, subjectKey: 'ana' }],
    ['POST', '/api/memories/#0/versions/1/restore'],
    ['GET', '/api/memories/#0/versions'],
    ['POST', '/api/memories/#0/versions/1/restore'],
    ['POST', '/api/memories/#0/versions/9/restore'],
    ['POST', '/api/memories/#0/versions/01/restore'],
    ['POST', '/api/memories/#0/versions/2/restore'],
    ['POST', '/api/memories', { content: 'first' }],
    ['POST', '/api/memories/#0/versions/1/restore'],
    ['DELETE', '/api/memories/#0'],
    ['POST', '/api/memories/#0/versions/1/restore'],
  ],
  'stores settings': [
    ['GET', '/api/organization/settings'],
    ['PATCH', '/api/organization/settings', { semanticDedupe: false }],
    ['POST', '/api/memories', { content: 'a', subjectKey: 'x' }],
    ['PATCH', '/api/organization/settings', { subjectKeyType: 'string' }],
    ['PATCH', '/api/organization/settings', { subjectKeyType: 'integer' }],
    ['GET', '/health/live'],
  ],
};

describe('the stand-in responds like the service when it', () => {
  test.each(Object.entries(SCRIPTS))('%s', async (_, steps) => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    const fresh = new StandInService({ baseUrl: BASE_URL, token: 'msk_test' });
    network.resetHandlers(...fresh.handlers);

    const real = await play(`http://127.0.0.1:${app.port}`, app.token, steps);
    const stood = await play(BASE_URL, 'msk_test', steps);

    for (const [index, [method, path]] of steps.entries()) {
      expect([index, method, path, stood[index]]).toEqual([index, method, path, real[index]]);
    }
  });
});

/** Collects the responses, with values that differ between runs replaced. */
async function play(baseUrl: string, token: string, steps: readonly Step[]): Promise<unknown[]> {
  const ids: string[] = [];
  const cursors: string[] = [];
  const answers: unknown[] = [];
  for (const [method, path, body] of steps) {
    const target = path
      .replace(/#(\d+)/, (_, n) => ids[n]!)
      .replace(/@(\d+)/, (_, n) => encodeURIComponent(cursors[n]!));
    const response = await fetch(`${baseUrl}${target}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isLines = response.headers.get('Content-Type')?.includes('ndjson');
    const parsed = isLines
      ? text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : text && JSON.parse(text);
    ids.push(parsed?.id ?? '');
    cursors.push(parsed?.nextCursor ?? '');
    answers.push([response.status, response.headers.has('X-Next-Cursor'), steady(parsed)]);
  }
  return answers;
}

/** Headers and members that depend on the deployment. */
const LEFT_OUT = ['requestId', 'latencyMs'];
const UNSTEADY = [
  'id',
  'score',
  'similarity',
  'relevance',
  'nextCursor',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'purgedAt',
  'replacedAt',
  'deletedMemoryId',
];

/** Replaces ids, times, measures and messages, so that only their presence is compared. */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  const isError = 'code' in value || 'message' in value;
  const entries = Object.entries(value).filter(([key]) => !LEFT_OUT.includes(key));
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (UNSTEADY.includes(key)) return [key, typeof inner];
      if (key === 'memoryIds' && Array.isArray(inner)) return [key, inner.length];
      if (isError && (key === 'error' || key === 'message') && typeof inner === 'string') return [key, 'text'];
      return [key, steady(inner)];
    }),
  );
}
