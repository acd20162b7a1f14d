import { expect } from 'vitest';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { ToolCaller } from '../../transport/tool-client.js';
import type { RpcAnswer } from '../../transport/tool-message.js';
import type { SingleAbility } from '../../world/limited-tokens.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** Tools by the ability that they require, with arguments that would succeed or get 404. */
function tools(target: Target): Record<SingleAbility, Record<string, Record<string, unknown>>> {
  return {
    'memory:ingest': {
      memory_ingest: { ...target.fields() },
      memory_upsert: { ...target.fields(), externalKey: target.word() },
      memory_ingest_batch: { items: [target.fields()] },
    },
    'memory:search': {
      memory_search: { query: 'memory', limit: 1 },
      memory_get: { id: UNKNOWN },
      memory_recent: { limit: 1 },
      memory_stats: {},
      memory_changes: { since: '2100-01-01T00:00:00Z' },
    },
    'memory:admin': {
      memory_update: { id: UNKNOWN, metadata: {} },
      memory_delete: { id: UNKNOWN },
    },
  };
}

function abilityOfTools(ability: SingleAbility): Omit<Check, 'section'> {
  const word = ability.replace('memory:', '');
  return {
    id: `tools-ability-${word}`,
    level: 'must',
    requirement: `The tools of ${ability} are rejected with ability_denied to tokens without it.`,
    needs: ['mcp', 'limited-tokens'],
    async run(target) {
      const others = (['memory:ingest', 'memory:search', 'memory:admin'] as const).filter((other) => other !== ability);
      for (const [name, given] of Object.entries(tools(target)[ability])) {
        const allowed = await target.tools.call({ token: await target.limitedToken(ability) }, name, given);
        expect(allowed.data.code, name).not.toBe('ability_denied');
        for (const other of others) {
          const denied = await target.tools.call({ token: await target.limitedToken(other) }, name, given);
          expect(denied, name).toMatchObject({ isError: true, data: { code: 'ability_denied' } });
        }
      }
    },
  };
}

/** Reports if a request was rejected: by HTTP, by the protocol, or as a tool error. */
function isDenied({ status, result, error }: RpcAnswer): boolean {
  return status >= 400 || error !== undefined || result?.isError === true;
}

function readResource(target: Target, caller: ToolCaller, uri: string): Promise<RpcAnswer> {
  return target.tools.request(caller, 'resources/read', { uri });
}

function textOf({ result }: RpcAnswer): string {
  return ((result?.contents ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('\n');
}

/** Stores a document of three chunks, in another order. */
async function storedDocument(target: Target): Promise<{ documentId: string; parts: string[] }> {
  const documentId = target.word();
  const parts = [0, 1, 2].map((index) => target.unique(`part ${index}`));
  for (const chunkIndex of [2, 0, 1]) {
    const metadata = { documentId, chunkIndex, chunkTotal: 3 };
    await target.stored({ content: parts[chunkIndex] ?? '', metadata });
  }
  return { documentId, parts };
}

/** Who may use the tools (5.1 to 5.3), and the resources behind them (2.2, 4.13). */
export const toolAccessChecks: readonly Check[] = [
  ...defineChecks('2.2', [
    {
      id: 'resource-of-document',
      level: 'must',
      requirement:
        'The chunks of a document are read together, in order, at store://{organizationId}/document/{documentId}.',
      needs: ['mcp'],
      async run(target) {
        const { documentId, parts } = await storedDocument(target);
        const uri = `store://${await target.organizationId()}/document/${documentId}`;

        const text = textOf(await readResource(target, { token: target.token }, uri));

        const positions = parts.map((part) => text.indexOf(part));
        expect(Math.min(...positions)).toBeGreaterThanOrEqual(0);
        expect(positions).toEqual([...positions].sort((one, other) => one - other));
      },
    },
  ]),
  ...defineChecks('5.1', [
    {
      id: 'tools-need-a-token',
      level: 'must',
      requirement: 'Every request to /mcp needs a bearer token, and gets 401 without a valid one.',
      needs: ['mcp'],
      async run(target) {
        for (const token of [null, `${target.token}x`]) {
          expect((await target.tools.request({ token }, 'tools/list')).status).toBe(401);
          expect((await target.tools.initialize({ token })).status).toBe(401);
        }
      },
    },
    {
      id: 'tools-offer-no-oauth',
      level: 'must',
      requirement: 'OAuth is not supported for the tools: nothing sends a client to an authorization server.',
      needs: ['mcp'],
      async run(target) {
        const refused = await target.send('POST', '/mcp', {}, { token: null });
        expect(refused.headers.get('www-authenticate') ?? '').not.toContain('resource_metadata');

        for (const name of ['oauth-protected-resource', 'oauth-protected-resource/mcp', 'oauth-authorization-server']) {
          expectRefusal(await target.send('GET', `/.well-known/${name}`, undefined, { token: null }), 404);
        }
      },
    },
  ]),
  ...defineChecks('5.2', [
    abilityOfTools('memory:ingest'),
    abilityOfTools('memory:search'),
    abilityOfTools('memory:admin'),
  ]),
  ...defineChecks('5.3', [
    {
      id: 'tools-organization-header',
      level: 'must',
      requirement: 'Tools honour X-Organization-Id: the own organization is accepted, any other is denied.',
      needs: ['mcp'],
      async run(target) {
        const { token } = target;
        const own = { 'x-organization-id': await target.organizationId() };
        const other = { 'x-organization-id': UNKNOWN };

        const taken = await target.tools.call({ token, headers: own }, 'memory_recent', { limit: 1 });
        const denied = await target.tools.request({ token, headers: other }, 'tools/call', {
          name: 'memory_recent',
          arguments: { limit: 1 },
        });

        expect(taken.isError).toBe(false);
        expect(isDenied(denied)).toBe(true);
        expect(JSON.stringify(denied)).toContain('organization_forbidden');
      },
    },
    {
      id: 'resource-of-other-organization',
      level: 'must',
      requirement: 'A resource URI of an organization that the credential may not act in is denied.',
      needs: ['mcp', 'second-organization'],
      async run(target) {
        const foreign = await target.organizationId(target.secondToken);
        const { token } = target;

        const denied = await readResource(target, { token }, `store://${foreign}/stats`);
        const unknown = await readResource(target, { token }, `store://${UNKNOWN}/stats`);

        expect([isDenied(denied), isDenied(unknown)]).toEqual([true, true]);
        expect(denied.error).toEqual(unknown.error);
      },
    },
    {
      id: 'resource-disagrees-with-header',
      level: 'must',
      requirement: 'A header and a resource URI that name different organizations are denied.',
      needs: ['mcp'],
      async run(target) {
        const { documentId } = await storedDocument(target);
        const own = await target.organizationId();
        const uri = `store://${own}/document/${documentId}`;
        const agreed = await readResource(target, { token: target.token, headers: { 'x-organization-id': own } }, uri);
        if (isDenied(agreed)) throw new PrerequisiteError('the resource cannot be read with a header that agrees');

        const headers = { 'x-organization-id': UNKNOWN };

        expect(isDenied(await readResource(target, { token: target.token, headers }, uri))).toBe(true);
      },
    },
    {
      id: 'tools-isolation',
      level: 'must',
      requirement: 'A tool sees only the memories of its own organization.',
      needs: ['mcp', 'second-organization'],
      async run(target) {
        const { id, content } = await target.stored({}, { token: target.secondToken });
        const caller = { token: target.token };

        const got = await target.tools.call(caller, 'memory_get', { id });
        const found = await target.tools.call(caller, 'memory_search', { query: content, limit: 5 });

        expect(got).toMatchObject({ isError: true, data: { error: 'Not found' } });
        expect(JSON.stringify(found.data)).not.toContain(id);
      },
    },
  ]),
];
