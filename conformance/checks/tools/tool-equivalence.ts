import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { ToolAnswer } from '../../transport/tool-client.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';

type Arguments = Record<string, unknown>;

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const MEMORIES = '/api/memories';
const EVER = '2020-01-01T00:00:00Z';
/**
 * The fields that may differ between two equal answers, because others write meanwhile, and between two equal memories.
 */
const OF_THE_MOMENT = ['requestId', 'retryAfter', 'scope', 'total'];
const OF_THE_MEMORY = ['id', 'content', 'externalKey', 'createdAt', 'updatedAt', 'deletedAt'];

/** Each tool and its operation (4.13). */
const OPERATIONS: Readonly<Record<string, (target: Target, given: Arguments) => Promise<Answer>>> = {
  memory_ingest: (target, given) => target.send('POST', MEMORIES, given),
  memory_upsert: (target, given) => target.send('PUT', MEMORIES, given),
  memory_ingest_batch: (target, given) => target.send('POST', `${MEMORIES}/batch`, given),
  memory_search: (target, given) => target.send('POST', `${MEMORIES}/search`, given),
  memory_stats: (target, query) => target.send('GET', `${MEMORIES}/stats`, undefined, { query }),
  memory_changes: (target, query) => target.send('GET', `${MEMORIES}/changes`, undefined, { query }),
  memory_recent: (target, query) => target.send('GET', `${MEMORIES}/recent`, undefined, { query }),
  memory_get: (target, { id, ...query }) => target.get(String(id), query),
  memory_update: (target, { id, ...body }) => target.patch(String(id), body),
  memory_delete: (target, { id }) => target.delete(String(id)),
};

/** Returns a value without these members, at every level. */
function without(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !names.includes(name))
      .map(([name, member]) => [name, without(member, names)]),
  );
}

async function overRest(target: Target, tool: string, given: Arguments): Promise<Answer> {
  const send = OPERATIONS[tool];
  if (!send) throw new Error(`no operation is known of ${tool}`);
  return send(target, given);
}

function overTools(target: Target, tool: string, given: Arguments): Promise<ToolAnswer> {
  return target.tools.call({ token: target.token }, tool, given);
}

/** Fails unless the tool returns what the operation returns, except these members. It may return more. */
function expectSame({ isError, data }: ToolAnswer, { status, body }: Answer, names: readonly string[] = []): void {
  const ignored = [...OF_THE_MOMENT, ...names];
  const answered = without(body, ignored) as Arguments;
  const said = without(data, ignored) as Arguments;
  const inBoth = Object.fromEntries(Object.keys(answered).map((name) => [name, said[name]]));
  expect({ isError, ...inBoth }).toEqual({ isError: status >= 400, ...answered });
}

/** Returns the result of each readiness check, without its duration. */
function stateOf(checks: unknown): Record<string, unknown> {
  const entries = Object.entries((checks ?? {}) as Record<string, { status?: string }>);
  return Object.fromEntries(entries.map(([name, { status }]) => [name, status]));
}

/** Returns a check that a reading tool returns the same results for the same arguments. */
function readsTheSame(
  tool: string,
  toArguments: (target: Target, project: string, memory: { id: string; content: string }) => readonly Arguments[],
): Omit<Check, 'section'> {
  return {
    id: `tool-results-of-${tool.replace('memory_', '').replace('_', '-')}`,
    level: 'must',
    requirement: `${tool} gives the results of its REST operation, member by member.`,
    needs: ['mcp'],
    async run(target) {
      const project = target.word();
      const memory = await target.stored({ metadata: { project, kind: 'note' } });
      await target.stored({ metadata: { project, agentId: 'one' } });

      for (const given of toArguments(target, project, memory)) {
        const answer = await overRest(target, tool, given);
        expect(answer.status, answer.text).toBe(200);
        expectSame(await overTools(target, tool, given), answer);
      }
    },
  };
}

/** A tool that writes: each of two like things is done over one of the interfaces, step by step. */
function writesTheSame(
  tool: string,
  toSteps: (target: Target) => Promise<(turn: 'rest' | 'tool') => Promise<readonly Arguments[]>>,
): Omit<Check, 'section'> {
  return {
    id: `tool-results-of-${tool.replace('memory_', '').replace('_', '-')}`,
    level: 'must',
    requirement: `${tool} does the same as its REST operation, and returns the same results.`,
    needs: ['mcp'],
    async run(target) {
      const stepsOf = await toSteps(target);
      const ofRest: Answer[] = [];
      for (const given of await stepsOf('rest')) ofRest.push(await overRest(target, tool, given));
      const ofTool: ToolAnswer[] = [];
      for (const given of await stepsOf('tool')) ofTool.push(await overTools(target, tool, given));

      for (const [step, answer] of ofRest.entries()) {
        expect(answer.status, answer.text).toBeLessThan(300);
        expectSame(ofTool[step] as ToolAnswer, answer, OF_THE_MEMORY);
      }
    },
  };
}

/** Returns a check that a tool rejects the same arguments with the same text, code and details. */
function refusesTheSame(
  tool: string,
  toArguments: (target: Target) => Promise<readonly Arguments[]>,
): Omit<Check, 'section'> {
  return {
    id: `tool-refusals-of-${tool.replace('memory_', '').replace('_', '-')}`,
    level: 'should',
    requirement: `${tool} rejects what its REST operation rejects, with the same text, code and details.`,
    needs: ['mcp'],
    async run(target) {
      for (const given of await toArguments(target)) {
        const answer = await overRest(target, tool, given);
        expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
        expectSame(await overTools(target, tool, given), answer);
      }
    },
  };
}

const resultChecks = [
  writesTheSame('memory_ingest', async (target) => async () => {
    const fields = target.fields({ metadata: { kind: 'note' } });
    return [{ ...fields }, { ...fields, metadata: target.tagged({ added: 1 }) }];
  }),
  writesTheSame('memory_upsert', async (target) => async () => {
    const first = { ...target.fields(), externalKey: target.word(), scope: { source: 'wiki' } };
    return [
      first,
      { ...first, metadata: target.tagged({ added: 1 }) },
      { ...first, content: target.unique('changed') },
    ];
  }),
  writesTheSame('memory_ingest_batch', async (target) => async () => {
    const items = [target.fields(), { content: '' }, { ...target.fields(), externalKey: target.word() }];
    return [{ items }, { items: [{ content: '' }, target.fields()], continueOnError: false }];
  }),
  readsTheSame('memory_search', (_, project, { content }) => [
    { query: content, filter: { project } },
    { query: content, filter: { project, kind: 'note' }, limit: 1, minScore: 0.1 },
  ]),
  readsTheSame('memory_stats', (_, project) => [
    { filter: { project } },
    { filter: { project, kind: 'note' }, includeDeleted: true },
  ]),
  readsTheSame('memory_changes', (_, project) => [
    { since: EVER, filter: { project } },
    { since: EVER, filter: { project }, limit: 1, includeDeleted: true },
  ]),
  readsTheSame('memory_recent', (_, project) => [{ filter: { project } }, { filter: { project }, limit: 1 }]),
  readsTheSame('memory_get', (_, __, { id }) => [{ id }, { id, includeDeleted: true }]),
  writesTheSame('memory_update', async (target) => async () => {
    const { id } = await target.stored({ metadata: { kept: 1 } });
    return [
      { id, metadata: { added: 2 } },
      { id, content: target.unique('changed') },
      { id, metadata: target.tagged({ only: 3 }), metadataReplace: true },
    ];
  }),
  {
    id: 'tool-results-of-delete',
    level: 'must',
    requirement: 'memory_delete does the same as its REST operation: both soft-delete a memory.',
    needs: ['mcp'],
    async run(target) {
      const one = await target.stored();
      const other = await target.stored();

      const answer = await overRest(target, 'memory_delete', { id: one.id });
      const { isError } = await overTools(target, 'memory_delete', { id: other.id });

      expect([answer.status, isError]).toEqual([204, false]);
      for (const { id } of [one, other]) {
        expect((await target.get(id)).status).toBe(404);
        expect((await target.get(id, { includeDeleted: true })).body).toMatchObject({ deletedAt: expect.any(String) });
      }
    },
  },
  {
    id: 'tool-results-of-health',
    level: 'must',
    requirement: 'service_health reports the same as the readiness check.',
    needs: ['mcp'],
    async run(target) {
      const { body } = await target.send('GET', '/health/ready', undefined, { token: null });
      const { isError, data } = await overTools(target, 'service_health', {});

      expect(isError).toBe(false);
      expect(data).toMatchObject({ status: body.status });
      expect(stateOf(data.checks)).toEqual(stateOf(body.checks));
    },
  },
] satisfies readonly Omit<Check, 'section'>[];

const refusalChecks = [
  refusesTheSame('memory_ingest', async (target) => [
    { content: '' },
    { content: target.unique('keys'), metadata: { externalKey: 'k' } },
    { content: target.unique('parts'), metadata: { documentId: 'd', chunkIndex: 0 } },
  ]),
  refusesTheSame('memory_upsert', async (target) => {
    const { content } = await target.storedByKey();
    return [
      { externalKey: '', content: target.unique('no key') },
      { ...target.fields({ content }), externalKey: target.word() },
    ];
  }),
  refusesTheSame('memory_ingest_batch', async (target) => [
    { items: [] },
    { items: Array.from({ length: target.limits.batchItems + 1 }, () => target.fields()) },
  ]),
  refusesTheSame('memory_search', async () => [
    { query: '' },
    { query: 'memory', limit: 51 },
    { query: 'memory', filter: { unknown: 'x' } },
  ]),
  refusesTheSame('memory_stats', async () => [{ filter: { unknown: 'x' } }, { includeDeleted: 'perhaps' }]),
  refusesTheSame('memory_changes', async () => [{ since: 'yesterday' }, { since: EVER, cursor: 'nonsense' }]),
  refusesTheSame('memory_recent', async () => [{ limit: 0 }, { limit: 51 }]),
  refusesTheSame('memory_get', async () => [{ id: UNKNOWN }, { id: 'no-id' }]),
  refusesTheSame('memory_update', async () => [{ id: UNKNOWN, metadata: { seen: 1 } }, { id: UNKNOWN }]),
  refusesTheSame('memory_delete', async () => [{ id: UNKNOWN }]),
];

/** The eleven tools match the operations of their rows in the table (4.13). */
export const toolEquivalenceChecks = defineChecks('4.13', [...resultChecks, ...refusalChecks]);
