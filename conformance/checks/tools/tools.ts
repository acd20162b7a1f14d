import { expect } from 'vitest';
import type { ToolAnswer } from '../../transport/tool-client.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const TOOLS = [
  'memory_ingest',
  'memory_upsert',
  'memory_ingest_batch',
  'memory_search',
  'memory_stats',
  'memory_changes',
  'memory_recent',
  'memory_get',
  'memory_update',
  'memory_delete',
  'service_health',
];

function call(target: Target, name: string, given: Record<string, unknown>, token = target.token): Promise<ToolAnswer> {
  return target.tools.call({ token }, name, given);
}

function idsOf(list: unknown): string[] {
  return ((list ?? []) as { id: string }[]).map(({ id }) => id);
}

/** The tool of each operation (4.13). */
const operationChecks = defineChecks('4.13', [
  {
    id: 'tool-memory-ingest',
    level: 'must',
    requirement: 'memory_ingest is POST /api/memories: it creates, and recognises a replay.',
    needs: ['mcp'],
    async run(target) {
      const fields = target.fields();

      const first = await call(target, 'memory_ingest', { ...fields });
      const replay = await call(target, 'memory_ingest', { ...fields });
      const read = await target.get(String(first.data.id));

      expect(first.data).toMatchObject({ outcome: 'created', content: fields.content });
      expect(replay.data).toMatchObject({ outcome: 'deduplicated', id: first.data.id });
      expect(read.body).toMatchObject({ content: fields.content, metadata: fields.metadata });
    },
  },
  {
    id: 'tool-memory-upsert',
    level: 'must',
    requirement: 'memory_upsert is PUT /api/memories: it creates, and updates by key.',
    needs: ['mcp'],
    async run(target) {
      const externalKey = target.word();

      const first = await call(target, 'memory_upsert', { ...target.fields(), externalKey });
      const second = await call(target, 'memory_upsert', { ...target.fields(), externalKey });

      expect(first.data).toMatchObject({ outcome: 'created', externalKey });
      expect(second.data).toMatchObject({ outcome: 'updated', id: first.data.id });
    },
  },
  {
    id: 'tool-memory-ingest-batch',
    level: 'must',
    requirement: 'memory_ingest_batch is POST /api/memories/batch: each item has its own outcome.',
    needs: ['mcp'],
    async run(target) {
      const { isError, data } = await call(target, 'memory_ingest_batch', {
        items: [target.fields(), { content: '' }],
      });

      expect(isError).toBe(false);
      expect(data).toMatchObject({
        results: [
          { index: 0, outcome: 'created' },
          { index: 1, error: {} },
        ],
        summary: { ok: 1, failed: 1 },
      });
    },
  },
  {
    id: 'tool-memory-search',
    level: 'must',
    requirement: 'memory_search is POST /api/memories/search, its filter included.',
    needs: ['mcp'],
    async run(target) {
      const project = target.word();
      const { id, content } = await target.stored({ metadata: { project } });

      const { data } = await call(target, 'memory_search', { query: content, filter: { project } });

      expect(idsOf(data.results)).toEqual([id]);
    },
  },
  {
    id: 'tool-memory-stats',
    level: 'must',
    requirement: 'memory_stats is GET /api/memories/stats.',
    needs: ['mcp'],
    async run(target) {
      const project = target.word();
      await target.stored({ metadata: { project, kind: 'note' } });

      const { data } = await call(target, 'memory_stats', { filter: { project } });

      expect(data).toMatchObject({ facets: { kind: [{ value: 'note', count: 1 }] }, meta: { filtered: 1 } });
    },
  },
  {
    id: 'tool-memory-changes',
    level: 'must',
    requirement: 'memory_changes is GET /api/memories/changes, its cursor included.',
    needs: ['mcp'],
    async run(target) {
      const project = target.word();
      const one = await target.stored({ metadata: { project } });
      const since = one.updatedAt;
      const two = await target.stored({ metadata: { project } });

      const first = await call(target, 'memory_changes', { since, filter: { project }, limit: 1 });
      const cursor = first.data.nextCursor;
      const second = await call(target, 'memory_changes', { since, filter: { project }, cursor });

      expect(idsOf(first.data.changes)).toEqual([one.id]);
      expect(idsOf(second.data.changes)).toEqual([two.id]);
    },
  },
  {
    id: 'tool-memory-recent',
    level: 'must',
    requirement: 'memory_recent is GET /api/memories/recent.',
    needs: ['mcp'],
    async run(target) {
      const project = target.word();
      const one = await target.stored({ metadata: { project } });
      const two = await target.stored({ metadata: { project } });

      const { data } = await call(target, 'memory_recent', { filter: { project } });

      expect(idsOf(data.results)).toEqual([two.id, one.id]);
    },
  },
  {
    id: 'tool-memory-get',
    level: 'must',
    requirement: 'memory_get is GET /api/memories/{id}.',
    needs: ['mcp'],
    async run(target) {
      const { id, content, metadata } = await target.stored();

      const { data } = await call(target, 'memory_get', { id });

      expect(data).toMatchObject({ id, content, metadata });
    },
  },
  {
    id: 'tool-memory-update',
    level: 'must',
    requirement: 'memory_update is PATCH /api/memories/{id}.',
    needs: ['mcp'],
    async run(target) {
      const { id } = await target.stored({ metadata: { kept: 1 } });

      const { data } = await call(target, 'memory_update', { id, metadata: { added: 2 } });

      expect(data).toMatchObject({ id, outcome: 'updated', metadata: target.tagged({ kept: 1, added: 2 }) });
    },
  },
  {
    id: 'tool-memory-delete',
    level: 'must',
    requirement: 'memory_delete is DELETE /api/memories/{id}.',
    needs: ['mcp'],
    async run(target) {
      const { id } = await target.stored();

      const { isError } = await call(target, 'memory_delete', { id });

      expect(isError).toBe(false);
      expect((await target.get(id)).status).toBe(404);
    },
  },
  {
    id: 'tool-service-health',
    level: 'must',
    requirement: 'service_health reports the readiness checks.',
    needs: ['mcp'],
    async run(target) {
      const { isError, data } = await call(target, 'service_health', {});

      expect(isError).toBe(false);
      expect(data).toMatchObject({ status: 'ok' });
    },
  },
]);

/** The list of tools, rejections, and authentication of callers. */
export const toolChecks: readonly Check[] = [
  ...defineChecks('4.13', [
    {
      id: 'tools-initialize',
      level: 'must',
      requirement: 'The tool interface speaks the Model Context Protocol at /mcp.',
      needs: ['mcp'],
      async run(target) {
        const { status, result } = await target.tools.initialize({ token: target.token });

        expect(status).toBe(200);
        expect(result).toMatchObject({ protocolVersion: expect.any(String), capabilities: { tools: {} } });
      },
    },
    {
      id: 'tools-are-listed',
      level: 'must',
      requirement: 'Each of the eleven tools is listed, with a schema of its arguments.',
      needs: ['mcp'],
      async run(target) {
        const { result } = await target.tools.request({ token: target.token }, 'tools/list');

        const listed = (result?.tools ?? []) as { name: string; inputSchema?: { type?: string } }[];
        expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS));
        for (const { inputSchema } of listed) expect(inputSchema).toMatchObject({ type: 'object' });
      },
    },
  ]),
  ...operationChecks,
  ...defineChecks('4.13', [
    {
      id: 'tool-errors-are-results',
      level: 'must',
      requirement: 'A rejected call is a tool error, not an error of the protocol.',
      needs: ['mcp'],
      async run(target) {
        const { result, error } = await target.tools.request({ token: target.token }, 'tools/call', {
          name: 'memory_get',
          arguments: { id: UNKNOWN },
        });

        expect(error).toBeUndefined();
        expect(result).toMatchObject({ isError: true });
        expect(JSON.stringify(result)).toContain('Not found');
      },
    },
    {
      id: 'tool-errors-have-codes',
      level: 'should',
      requirement: 'A tool error has the code of the REST error.',
      needs: ['mcp'],
      async run(target) {
        const { content = '' } = await target.storedByKey();
        const conflict = await call(target, 'memory_upsert', {
          ...target.fields({ content }),
          externalKey: target.word(),
        });

        expect(conflict).toMatchObject({ isError: true, data: { code: 'content_conflict' } });
      },
    },
  ]),
];
