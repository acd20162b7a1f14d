import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Operation } from '../../transport/contract.js';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const ORGANIZATION = '/api/organization';
/** Concurrent requests: enough to be quick without loading the deployment. */
const GROUP = 6;
/** A body above the limit of 2 MiB. */
const TOO_LARGE_BYTES = 2 * 1024 * 1024 + 1;

/** Valid bodies for requests about things that do not exist. */
const VALID: Readonly<Record<string, unknown>> = {
  updateMember: { role: 'member' },
  updateInboundWebhook: { enabled: false },
  updateOutboundWebhook: { enabled: false },
  redeliverOutboundDeliveries: { since: '2026-03-01T00:00:00Z' },
};

/** Operations that get a body above the limit; few, because so much is sent. */
const LARGE = ['upsertMemory', 'updateMemory', 'searchMemories', 'signIn', 'acceptInvitation'];

/** The request to send for an operation, and the expected answer. */
interface Sweep {
  id: string;
  level: Check['level'];
  requirement: string;
  needs?: Check['needs'];
  of(operation: Operation): boolean;
  send(target: Target, operation: Operation): Promise<Answer>;
  status: number;
  code: string;
}

/** Returns the path with its ids replaced by name, or by an id that does not exist. */
function pathOf({ path }: Operation, ids: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? UNKNOWN);
}

function ask(target: Target, operation: Operation, sending: Sending, body: unknown = {}): Promise<Answer> {
  return target.send(operation.method, pathOf(operation), operation.takesJson ? body : undefined, sending);
}

/** Sends one request of each operation, a few at a time. */
async function askEach(
  operations: readonly Operation[],
  send: (operation: Operation) => Promise<Answer>,
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (let at = 0; at < operations.length; at += GROUP) {
    const group = operations.slice(at, at + GROUP);
    const sent = await Promise.all(group.map(send));
    group.forEach(({ operationId }, index) => {
      answers.set(operationId, sent[index] as Answer);
    });
  }
  return answers;
}

/** Returns a check of every operation of a kind, which names those with an unexpected answer. */
function sweeps({ of, send, status, code, ...check }: Sweep): Omit<Check, 'section'> {
  return {
    ...check,
    async run(target) {
      const operations = target.contract.operations.filter(of);
      if (operations.length === 0) throw new PrerequisiteError('the contract has no such operation');

      const answers = await askEach(operations, (operation) => send(target, operation));

      const seen = Array.from(answers, ([name, answer]) => [name, `${answer.status} ${String(answer.body.code)}`]);
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(seen.map(([name]) => [name, `${status} ${code}`])));
    },
  };
}

const isSecured = ({ abilities }: Operation) => abilities !== undefined;
const isManagement = ({ path, sessionOnly }: Operation) => !sessionOnly && path.startsWith(ORGANIZATION);
const takesJson = (operation: Operation) => operation.takesJson && !operation.sessionOnly;
const namesOne = ({ path, statuses }: Operation) => path.includes('{') && statuses.includes(404);

/** Creates things in the second organization for the duration of the work. Returns their ids by parameter. */
async function withForeign(target: Target, work: (ids: Record<string, string>) => Promise<void>): Promise<void> {
  const sending = { token: target.secondToken };
  const made: string[] = [];
  const make = async (collection: string, body: unknown) => {
    const answer = await target.send('POST', `${ORGANIZATION}/${collection}`, body, sending);
    if (answer.status !== 201) throw new PrerequisiteError(`making one of ${collection} got ${answer.status}`);
    const id = String(answer.body.id);
    made.push(`${ORGANIZATION}/${collection}/${id}`);
    return id;
  };
  try {
    const name = `conformance ${target.runId}`;
    const session = await target.send('GET', '/api/session', undefined, sending);
    await work({
      userId: (session.body.user as { id: string }).id,
      tokenId: await make('tokens', { name, abilities: ['memory:search'] }),
      inbound: await make('inbound-webhooks', { kind: 'codehost', name }),
      // A name that never resolves: nothing is sent there.
      outbound: await make('outbound-webhooks', { url: 'https://conformance.invalid/', events: ['memory.deleted'] }),
    });
  } finally {
    for (const path of made) await target.send('DELETE', path, undefined, sending);
  }
}

function foreignIdOf({ path }: Operation, ids: Readonly<Record<string, string>>): Record<string, string> {
  const { inbound = UNKNOWN, outbound = UNKNOWN } = ids;
  return { ...ids, webhookId: path.includes('/inbound-webhooks/') ? inbound : outbound };
}

/** Requirements on every operation of the contract (5.1 to 5.3, 7); each is called once. */
export const operationChecks: readonly Check[] = [
  ...defineChecks('5.1', [
    sweeps({
      id: 'operations-need-a-credential',
      level: 'must',
      requirement: 'Every operation of the contract that takes a token rejects a request without one.',
      needs: ['management'],
      of: isSecured,
      send: (target, operation) => ask(target, operation, { token: null }),
      status: 401,
      code: 'unauthenticated',
    }),
  ]),
  ...defineChecks('5.2', [
    sweeps({
      id: 'operations-need-their-ability',
      level: 'should',
      requirement: 'Every operation that manages the organization rejects a token for search alone.',
      needs: ['management', 'limited-tokens'],
      of: isManagement,
      send: async (target, operation) => {
        return ask(target, operation, { token: await target.limitedToken('memory:search') });
      },
      status: 403,
      code: 'ability_denied',
    }),
  ]),
  ...defineChecks('5.3', [
    sweeps({
      id: 'operations-of-other-organizations',
      level: 'must',
      requirement: 'Every operation rejects an X-Organization-Id of another organization.',
      needs: ['management'],
      of: isSecured,
      send: (target, operation) =>
        ask(target, operation, { token: target.token, headers: { 'x-organization-id': UNKNOWN } }),
      status: 403,
      code: 'organization_forbidden',
    }),
    {
      id: 'operations-on-foreign-ids-404',
      level: 'must',
      requirement: 'Records of another organization get the same answer as records that do not exist.',
      needs: ['management', 'second-organization'],
      async run(target) {
        const operations = target.contract.operations.filter(
          (operation) => isManagement(operation) && namesOne(operation) && !operation.path.includes('{invitationId}'),
        );
        await withForeign(target, async (ids) => {
          const answers = await askEach(operations, (operation) => {
            const { method, operationId, takesJson } = operation;
            const path = pathOf(operation, foreignIdOf(operation, ids));
            return target.send(method, path, takesJson ? VALID[operationId] : undefined);
          });

          const seen = Array.from(answers, ([name, { status, body }]) => [name, `${status} ${String(body.error)}`]);
          expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(seen.map(([name]) => [name, '404 Not found'])));
        });
      },
    },
  ]),
  ...defineChecks('7', [
    sweeps({
      id: 'operations-on-unknown-ids-404',
      level: 'should',
      requirement: 'Every operation on one record answers 404 if it does not exist.',
      needs: ['management'],
      of: (operation) => isManagement(operation) && namesOne(operation),
      send: (target, operation) => ask(target, operation, {}, VALID[operation.operationId]),
      status: 404,
      code: 'undefined',
    }),
    sweeps({
      id: 'operations-refuse-unknown-members-422',
      level: 'should',
      requirement: 'Every operation rejects an unknown field of its body.',
      needs: ['management'],
      of: takesJson,
      send: (target, operation) => ask(target, operation, {}, { unknown: true }),
      status: 422,
      code: 'validation_failed',
    }),
    sweeps({
      id: 'operations-refuse-unknown-parameters-422',
      level: 'should',
      requirement: 'Every operation without a body rejects an unknown parameter.',
      needs: ['management'],
      of: ({ takesJson, abilities, statuses }) => !takesJson && abilities !== undefined && statuses.includes(422),
      send: (target, operation) => ask(target, operation, { query: { unknown: 'x' } }),
      status: 422,
      code: 'validation_failed',
    }),
    sweeps({
      id: 'operations-refuse-broken-json-400',
      level: 'should',
      requirement: 'Every operation with a body answers 400 if it is not JSON.',
      needs: ['management'],
      of: takesJson,
      send: (target, operation) => ask(target, operation, {}, '{"unfinished":'),
      status: 400,
      code: 'invalid_json',
    }),
    sweeps({
      id: 'operations-refuse-other-media-415',
      level: 'should',
      requirement: 'Every operation with a body answers 415 if it is not application/json.',
      needs: ['management'],
      of: takesJson,
      send: (target, operation) => ask(target, operation, { headers: { 'content-type': 'text/plain' } }, '{}'),
      status: 415,
      code: 'unsupported_media_type',
    }),
    sweeps({
      id: 'operations-refuse-large-bodies-413',
      level: 'should',
      requirement: 'Upsert, update, search and public operations answer 413 to a body above 2 MiB.',
      of: ({ operationId }) => LARGE.includes(operationId),
      send: (target, operation) => ask(target, operation, {}, ' '.repeat(TOO_LARGE_BYTES)),
      status: 413,
      code: 'payload_too_large',
    }),
  ]),
];
