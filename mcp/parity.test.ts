import { expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../server/testing/app/test-app.js';
import { ToolClient } from '../server/testing/app/tool-client.js';

interface Step {
  tool: string;
  /** `$n` is replaced by the id that step n returned, `$cursor` by the newest cursor. */
  args: Record<string, unknown>;
}

interface Outcome {
  refused: boolean;
  body: unknown;
}

const LONG = 'x'.repeat(100_001);
const UNKNOWN_ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';

/** Cases of the REST interface as tool calls, in an order in which each finds what it needs. */
const SCRIPT: readonly Step[] = [
  { tool: 'memory_ingest', args: { content: 'Deploys run on Fridays at noon.', metadata: { kind: 'note', seen: 1 } } },
  {
    tool: 'memory_ingest',
    args: { content: 'Deploys run on Fridays at noon.', metadata: { seen: 2, nested: { a: 1 } } },
  },
  { tool: 'memory_ingest', args: { content: 'deploys run on fridays, at noon!' } },
  { tool: 'memory_ingest', args: { content: 'Ana prefers morning meetings.', subjectKey: 'user-17' } },
  { tool: 'memory_ingest', args: { content: 'Ana prefers morning meetings.', subjectKey: 'user-18' } },
  { tool: 'memory_ingest', args: { content: 'Ana prefers tea.', subjectKey: 17 } },
  { tool: 'memory_ingest', args: { content: '   ' } },
  { tool: 'memory_ingest', args: { content: LONG } },
  { tool: 'memory_ingest', args: { content: 'e\u0301tude' } },
  { tool: 'memory_ingest', args: { content: 'Keys in metadata.', metadata: { externalKey: 'k' } } },
  { tool: 'memory_ingest', args: { content: 'A prototype.', metadata: JSON.parse('{"__proto__":{"a":1}}') } },
  { tool: 'memory_ingest', args: { content: 'Half a chunk.', metadata: { documentId: 'd', chunkIndex: 0 } } },
  { tool: 'memory_ingest', args: { content: 'A list is no metadata.', metadata: [1] } },
  {
    tool: 'memory_ingest',
    args: { content: 'Chunk one. ', metadata: { documentId: 'd', chunkIndex: 0, chunkTotal: 2 } },
  },
  {
    tool: 'memory_ingest',
    args: { content: 'Chunk two.', metadata: { documentId: 'd', chunkIndex: 1, chunkTotal: 2 } },
  },
  { tool: 'memory_ingest', args: { content: 'Wiki says A.', externalKey: 'wiki/a', scope: { source: 'wiki' } } },
  { tool: 'memory_ingest', args: { content: 'Wiki says B.', externalKey: 'wiki/a', scope: { source: 'wiki' } } },
  { tool: 'memory_ingest', args: { content: 'Unknown scope.', externalKey: 'k', scope: { team: 'x' } } },
  { tool: 'memory_upsert', args: { externalKey: 'wiki/b', content: 'B is blue.', metadata: { kind: 'page' } } },
  { tool: 'memory_upsert', args: { externalKey: 'wiki/b', content: 'B is blue.', metadata: { checked: true } } },
  { tool: 'memory_upsert', args: { externalKey: 'wiki/b', content: 'B is green.' } },
  { tool: 'memory_upsert', args: { externalKey: 'wiki/b', content: 'B is green.', scope: { project: 'p' } } },
  { tool: 'memory_upsert', args: { externalKey: 'wiki/c', content: 'Deploys run on Fridays at noon.' } },
  { tool: 'memory_upsert', args: { externalKey: '', content: 'No key.' } },
  {
    tool: 'memory_ingest_batch',
    args: { items: [{ content: 'One of many.' }, { content: '' }, { externalKey: 'wiki/b', content: 'B is red.' }, 5] },
  },
  {
    tool: 'memory_ingest_batch',
    args: { items: [{ content: '' }, { content: 'Never tried.' }], continueOnError: false },
  },
  { tool: 'memory_ingest_batch', args: { items: [{ content: '' }, { content: 'Tried.' }], continueOnError: '1' } },
  { tool: 'memory_ingest_batch', args: { items: [] } },
  {
    tool: 'memory_ingest_batch',
    args: { items: Array.from({ length: 51 }, (_, index) => ({ content: `item ${index}` })) },
  },
  { tool: 'memory_ingest_batch', args: { items: [{ content: 'Maybe.' }], continueOnError: 'maybe' } },
  { tool: 'memory_get', args: { id: '$0' } },
  { tool: 'memory_get', args: { id: UNKNOWN_ID } },
  { tool: 'memory_get', args: { id: 'no-uuid/../x' } },
  { tool: 'memory_get', args: { id: 'no-uuid' } },
  { tool: 'memory_get', args: { id: '$0', includeDeleted: 'perhaps' } },
  { tool: 'memory_update', args: { id: '$0', metadata: { kind: 'rule' } } },
  { tool: 'memory_update', args: { id: '$0', metadata: { only: 1 }, metadataReplace: true } },
  { tool: 'memory_update', args: { id: '$0', content: 'Deploys run on Thursdays at noon.' } },
  { tool: 'memory_update', args: { id: '$0', content: 'B is red.' } },
  { tool: 'memory_update', args: { id: '$0' } },
  { tool: 'memory_update', args: { id: '$0', metadataReplace: true } },
  { tool: 'memory_update', args: { id: '$0', content: null } },
  { tool: 'memory_update', args: { id: UNKNOWN_ID, content: 'Nobody.' } },
  { tool: 'memory_search', args: { query: 'When do we deploy?', limit: 3 } },
  { tool: 'memory_search', args: { query: 'chunk', filter: { documentId: 'd' } } },
  { tool: 'memory_search', args: { query: 'blue', mode: 'keyword' } },
  { tool: 'memory_search', args: { query: 'red', mode: 'hybrid', filter: { match: { externalKey: 'wiki/b' } } } },
  { tool: 'memory_search', args: { query: 'Ana', filter: { subjectKey: 'user-17' }, minScore: 0.1 } },
  { tool: 'memory_search', args: { query: 'Ana', filter: { subjectKey: 17 } } },
  { tool: 'memory_search', args: { query: '' } },
  { tool: 'memory_search', args: { query: 'a', limit: 51 } },
  { tool: 'memory_search', args: { query: 'a', filter: { nobody: 'x' } } },
  { tool: 'memory_search', args: { query: 'a', recencyWeight: 2 } },
  { tool: 'memory_search', args: { query: 'When do we deploy?', exact: true, limit: 3 } },
  { tool: 'memory_search', args: { query: 'blue', exact: true, mode: 'keyword' } },
  { tool: 'memory_recent', args: {} },
  { tool: 'memory_recent', args: { limit: 2, filter: { kind: 'page' } } },
  { tool: 'memory_recent', args: { limit: 0 } },
  { tool: 'memory_recent', args: { limit: 'many' } },
  { tool: 'memory_recent', args: { filter: { match: { seen: { deep: 1 } } } } },
  { tool: 'memory_stats', args: { filter: { where: { seen: { exists: true } } } } },
  { tool: 'memory_search', args: { query: 'red', filter: { where: { seen: { gte: true } } } } },
  { tool: 'memory_stats', args: {} },
  { tool: 'memory_stats', args: { filter: { kind: 'page' }, includeDeleted: true } },
  { tool: 'memory_stats', args: { includeDeleted: 2 } },
  { tool: 'memory_delete', args: { id: '$3' } },
  { tool: 'memory_delete', args: { id: '$3' } },
  { tool: 'memory_delete', args: { id: 'x' } },
  { tool: 'memory_get', args: { id: '$3' } },
  { tool: 'memory_get', args: { id: '$3', includeDeleted: true } },
  { tool: 'memory_delete', args: { id: '$18' } },
  { tool: 'memory_upsert', args: { externalKey: 'wiki/b', content: 'B is back.' } },
  { tool: 'memory_restore', args: { id: '$18' } },
  { tool: 'memory_restore', args: { id: '$18' } },
  { tool: 'memory_restore', args: { id: UNKNOWN_ID } },
  { tool: 'memory_changes', args: { since: '2020-01-01', limit: 4 } },
  { tool: 'memory_changes', args: { since: '2020-01-01', limit: 500, cursor: '$cursor', includeDeleted: true } },
  { tool: 'memory_changes', args: { since: 'yesterday' } },
  { tool: 'memory_changes', args: { since: '2020-01-01', cursor: 'nonsense' } },
  { tool: 'service_health', args: {} },
];

test('the tools return the same records, messages and codes as the REST interface', async () => {
  const app = await testApp();
  const other = await foundOrganization(app.deps);
  const tools = await ToolClient.connect({ ...app, token: other.token });
  for (const token of [app.token, other.token]) await chooseSubjectKeys(app, token);

  const overRest = await run((step) => callRest(app, step));
  const overTools = await run(async ({ tool, args }) => {
    const { isError, body } = await tools.call(tool, args);
    const { scope, retryAfter: _, hint: __, deletedMemoryId: ___, ...said } = body;
    // The tool adds the organization and filter to the scope of the record.
    const { source, project } = (scope ?? {}) as { source?: string; project?: string };
    const own = { ...(source !== undefined && { source }), ...(project !== undefined && { project }) };
    const record = { ...said, ...('metadata' in said && Object.keys(own).length > 0 && { scope: own }) };
    return { refused: isError, body: tool === 'memory_delete' && !isError ? {} : record };
  });

  for (const [index, step] of SCRIPT.entries()) {
    expect(overTools[index], `step ${index}: ${JSON.stringify(step).slice(0, 200)}`).toEqual(overRest[index]);
  }
  expect(overRest.filter(({ refused }) => refused).length).toBeGreaterThan(20);
});

/** Runs the script and normalizes the results: ids by first appearance, times as one word. */
async function run(call: (step: Step) => Promise<Outcome>): Promise<Outcome[]> {
  const ids: string[] = [];
  let cursor = '';
  const outcomes: Outcome[] = [];
  for (const { tool, args } of SCRIPT) {
    const outcome = await call({ tool, args: fill(args, ids, cursor) });
    const { id, nextCursor } = outcome.body as { id?: string; nextCursor?: string };
    ids.push(id ?? '');
    cursor = nextCursor ?? cursor;
    outcomes.push(outcome);
  }
  return comparable(outcomes);
}

function fill(args: Record<string, unknown>, ids: readonly string[], cursor: string): Record<string, unknown> {
  const filled = Object.entries(args).map(([name, value]) => {
    const step = typeof value === 'string' ? /^\$(\d+)$/.exec(value)?.[1] : undefined;
    if (step !== undefined) return [name, ids[Number(step)]];
    return [name, value === '$cursor' ? cursor : value];
  });
  return Object.fromEntries(filled) as Record<string, unknown>;
}

function comparable(outcomes: readonly Outcome[]): Outcome[] {
  const seen: string[] = [];
  const text = JSON.stringify(outcomes)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!seen.includes(id)) seen.push(id);
      return `id ${seen.indexOf(id)}`;
    })
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'time')
    .replace(/"(latencyMs|indexBytes|indexedOrganizations)":[\d.]+/g, '"$1":0');
  return JSON.parse(text) as Outcome[];
}

async function callRest(app: TestApp, { tool, args }: Step): Promise<Outcome> {
  const { id, ...rest } = args;
  const path = `/api/memories/${encodeURIComponent(String(id))}`;
  const send = async (method: string, to: string, body?: unknown): Promise<Outcome> => {
    const answer = await app.send(method, to, body);
    return { refused: answer.status >= 400, body: answer.body };
  };
  switch (tool) {
    case 'memory_ingest':
      return send('POST', '/api/memories', args);
    case 'memory_upsert':
      return send('PUT', '/api/memories', args);
    case 'memory_ingest_batch':
      return send('POST', '/api/memories/batch', args);
    case 'memory_search':
      return send('POST', '/api/memories/search', args);
    case 'memory_get':
      return send('GET', path + queryOf(rest));
    case 'memory_update':
      return send('PATCH', path, rest);
    case 'memory_delete':
      return send('DELETE', path);
    case 'memory_restore':
      return send('POST', `${path}/restore`);
    case 'service_health':
      return send('GET', '/health/ready');
    default:
      return send('GET', `/api/memories/${tool.replace('memory_', '')}${queryOf(args)}`);
  }
}

function queryOf(args: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

async function chooseSubjectKeys({ send }: TestApp, token: string): Promise<void> {
  const answer = await send(
    'PATCH',
    '/api/organization/settings',
    { subjectKeyType: 'string' },
    {
      authorization: `Bearer ${token}`,
    },
  );
  expect(answer.status).toBe(200);
}
