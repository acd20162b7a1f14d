import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Sending } from '../../transport/request.js';
import type { SingleAbility } from '../../world/limited-tokens.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** Requests for every operation on memories, each of which would succeed or get 404. */
const OPERATIONS: readonly {
  name: string;
  ability: SingleAbility;
  send(target: Target, sending: Sending): Promise<Answer>;
}[] = [
  { name: 'ingest', ability: 'memory:ingest', send: (target, sending) => target.ingest({}, sending) },
  { name: 'upsert', ability: 'memory:ingest', send: (target, sending) => target.upsert({}, sending) },
  {
    name: 'batch',
    ability: 'memory:ingest',
    send: (target, sending) => target.send('POST', '/api/memories/batch', { items: [target.fields()] }, sending),
  },
  {
    name: 'search',
    ability: 'memory:search',
    send: (target, sending) => target.search({ query: 'memory', limit: 1 }, sending),
  },
  { name: 'get', ability: 'memory:search', send: (target, sending) => target.get(UNKNOWN, {}, sending) },
  { name: 'similar', ability: 'memory:search', send: (target, sending) => target.similar(UNKNOWN, {}, sending) },
  {
    name: 'documents',
    ability: 'memory:search',
    send: (target, sending) => target.send('GET', '/api/documents', undefined, { ...sending, query: { limit: 1 } }),
  },
  {
    name: 'document',
    ability: 'memory:search',
    send: (target, sending) => target.send('GET', `/api/documents/${UNKNOWN}`, undefined, sending),
  },
  ...(['export', 'stats', 'changes', 'recent'] as const).map((read) => ({
    name: read,
    ability: 'memory:search' as const,
    send: (target: Target, sending: Sending) =>
      target.read(read, read === 'stats' ? {} : { limit: 1, filter: { project: 'none' } }, sending),
  })),
  {
    name: 'update',
    ability: 'memory:admin',
    send: (target, sending) => target.patch(UNKNOWN, { metadata: {} }, sending),
  },
  {
    name: 'document-delete',
    ability: 'memory:admin',
    send: (target, sending) => target.send('DELETE', `/api/documents/${UNKNOWN}`, undefined, sending),
  },
  { name: 'delete', ability: 'memory:admin', send: (target, sending) => target.delete(UNKNOWN, sending) },
];

const ABILITIES: readonly SingleAbility[] = ['memory:ingest', 'memory:search', 'memory:admin'];

function needsAbility({ name, ability, send }: (typeof OPERATIONS)[number]): Omit<Check, 'section'> {
  return {
    id: `ability-of-${name}`,
    level: 'must',
    requirement: `${name} takes a token with ${ability}, and rejects others with 403 and the code ability_denied.`,
    needs: ['limited-tokens'],
    async run(target) {
      const allowed = await send(target, { token: await target.limitedToken(ability) });
      expect(allowed.status).not.toBe(401);
      expect(allowed.status).not.toBe(403);
      for (const other of ABILITIES.filter((known) => known !== ability)) {
        expectRefusal(await send(target, { token: await target.limitedToken(other) }), 403, 'ability_denied');
      }
    },
  };
}

/** Credentials (5.1) and their abilities (5.2). */
export const credentialChecks: readonly Check[] = [
  ...defineChecks('5.1', [
    {
      id: 'token-is-required',
      level: 'must',
      requirement: 'Every REST operation on memories needs a bearer token, and answers 401 without.',
      async run(target) {
        for (const { send, name } of OPERATIONS) {
          expect((await send(target, { token: null })).status, name).toBe(401);
        }
      },
    },
    {
      id: 'token-unknown-401',
      level: 'must',
      requirement: 'An unknown token, or a text that is not a token, gets 401.',
      async run(target) {
        const wrong = ['nonsense', `${target.token}x`, target.token.slice(0, -1), '', `msk_${'0'.repeat(38)}`];
        for (const token of wrong) expectRefusal(await target.read('recent', {}, { token }), 401);
      },
    },
    {
      id: 'token-scheme-is-bearer',
      level: 'must',
      requirement: 'A token is accepted only in the header Authorization with the scheme Bearer.',
      async run(target) {
        const basic = `Basic ${Buffer.from(`token:${target.token}`).toString('base64')}`;
        const elsewhere: Sending[] = [
          { token: null, headers: { authorization: basic } },
          { token: null, headers: { authorization: target.token } },
          { token: null, headers: { 'x-api-key': target.token } },
          { token: null, query: { access_token: target.token } },
        ];
        for (const sending of elsewhere) {
          expectRefusal(await target.read('recent', sending.query, { token: null, ...sending }), 401);
        }
      },
    },
    {
      id: 'token-401-tells-nothing',
      level: 'should',
      requirement: 'A 401 is the same whatever was wrong, and names the scheme to use.',
      async run(target) {
        const answers = [
          await target.read('recent', {}, { token: null }),
          await target.read('recent', {}, { token: `${target.token}x` }),
        ];
        const bodies = answers.map(({ body: { requestId, ...body } }) => body);

        expect(bodies[0]).toMatchObject({ code: 'unauthenticated' });
        expect(bodies[1]).toEqual(bodies[0]);
        for (const { headers } of answers) expect(headers.get('www-authenticate')).toContain('Bearer');
      },
    },
    {
      id: 'token-is-never-echoed',
      level: 'should',
      requirement: 'No error repeats the token that was sent.',
      async run(target) {
        const token = `msk_${'A1b2'.repeat(9)}zz`;

        expect((await target.read('recent', {}, { token })).text).not.toContain(token);
      },
    },
  ]),
  ...defineChecks('5.2', OPERATIONS.map(needsAbility)),
];
