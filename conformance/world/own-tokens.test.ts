import { describe, expect, test } from 'vitest';
import { type Credentials, only } from '../transport/credentials.js';
import { judge } from '../transport/http.js';
import { Paced, type Request } from '../transport/paced.js';
import { Pacer } from '../transport/pacer.js';
import { OwnTokens } from './own-tokens.js';

const RUN = 'run-x';
const LIMITS = { ingest: 6, admin: 8 };
const WRITE = { method: 'POST', path: '/api/memories', headers: {} };
const ERASE = { method: 'DELETE', path: '/api/memories/x', headers: {} };

type LimitClass = keyof typeof LIMITS;

/** A deployment that counts as the specification has it, and makes and revokes tokens. */
class Deployment {
  readonly refused: Request[] = [];
  readonly valid = new Set(['given']);
  readonly counts = new Map<string, number>();
  mayMake = true;
  /** How many requests of a class all tokens together may send. */
  personLimit = Number.POSITIVE_INFINITY;
  private made = 0;

  readonly transport = async (request: Request): Promise<Response> => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const limitClass: LimitClass = request.path === '/api/memories' ? 'ingest' : 'admin';
    const key = `${limitClass} ${token}`;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    const ofPerson = (this.counts.get(limitClass) ?? 0) + 1;
    this.counts.set(limitClass, ofPerson);
    const ofToken = LIMITS[limitClass] - count;
    const left = Math.min(ofToken, this.personLimit - ofPerson);
    const name = left < ofToken ? `${limitClass}-person` : limitClass;
    const headers = {
      'x-ratelimit-limit': String(left < ofToken ? this.personLimit : LIMITS[limitClass]),
      'x-ratelimit-remaining': String(Math.max(0, left)),
      ratelimit: `"${name}";r=${Math.max(0, left)};t=60`,
    };
    if (left < 0) {
      this.refused.push(request);
      return Response.json({ code: 'rate_limited' }, { status: 429, headers: { ...headers, 'retry-after': '60' } });
    }
    return this.answer(request, headers);
  };

  private answer({ method, path }: Request, headers: Record<string, string>): Response {
    if (method === 'DELETE') {
      this.valid.delete(path.split('/').at(-1) ?? '');
      return new Response(null, { status: 204, headers });
    }
    if (path === '/api/memories') return Response.json({}, { status: 201, headers });
    if (!this.mayMake) return Response.json({ code: 'ability_denied' }, { status: 403, headers });
    const token = `made${++this.made}`;
    this.valid.add(token);
    return Response.json({ id: token, token }, { status: 201, headers });
  }
}

function running(most: number) {
  const deployment = new Deployment();
  const clock = { now: 1_000_000, waits: 0 };
  const sleep = async (ms: number) => {
    clock.now += ms;
    clock.waits += 1;
    deployment.counts.clear();
  };
  const paced = new Paced(deployment.transport, LIMITS, new Pacer(() => clock.now, sleep));
  const send = (request: Request, limitClass: LimitClass, credentials: Credentials) =>
    paced.send(request, { limitClass, credentials, judge });
  const own = new OwnTokens('given', most, RUN, (method, path, body, credentials) =>
    send({ method, path, headers: {}, body: JSON.stringify(body) }, 'admin', credentials),
  );
  return { deployment, send, own, clock };
}

describe('a run that makes tokens of its own', () => {
  test('sends more than one token may, and never more than each may', async () => {
    const { deployment, send, own } = running(9);

    await Promise.all(Array.from({ length: 40 }, () => send(WRITE, 'ingest', own)));

    expect(deployment.refused).toEqual([]);
    expect(own.tokens.length).toBeGreaterThan(5);
  });

  test('makes none while the given one has half of its requests left', async () => {
    const { send, own } = running(9);

    for (let count = 0; count < LIMITS.ingest / 2; count++) await send(WRITE, 'ingest', own);
    expect(own.tokens).toEqual(['given']);
    await send(WRITE, 'ingest', own);

    expect(own.tokens).toEqual(['made1', 'given']);
  });

  test('keeps what it takes to make the next one and to revoke them all', async () => {
    const { deployment, send, own } = running(9);

    await Promise.all(Array.from({ length: 40 }, () => send(ERASE, 'admin', own)));
    const made = own.tokens.length - 1;
    const faults = await own.revoke();

    expect(made).toBeGreaterThan(4);
    expect(faults).toEqual([]);
    expect([...deployment.valid]).toEqual(['given']);
    expect(deployment.refused).toEqual([]);
  });

  test('uses all of the given one when it may make no more', async () => {
    const { deployment, send, own } = running(9);
    deployment.mayMake = false;

    for (let count = 0; count < LIMITS.ingest; count++) await send(WRITE, 'ingest', own);

    expect(own.tokens).toEqual(['given']);
    expect(deployment.counts.get('ingest given')).toBe(LIMITS.ingest);
  });

  test('waits when a person has used up the limit of all their tokens, and makes no more of them', async () => {
    const { deployment, send, own, clock } = running(9);
    deployment.personLimit = 2 * LIMITS.ingest;

    await Promise.all(Array.from({ length: deployment.personLimit }, () => send(WRITE, 'ingest', own)));
    const before = { waits: clock.waits, tokens: own.tokens.length };
    await send(WRITE, 'ingest', own);

    expect(before).toEqual({ waits: 0, tokens: 3 });
    expect({ waits: clock.waits, tokens: own.tokens.length }).toEqual({ waits: 1, tokens: 3 });
    expect(deployment.refused).toEqual([]);
  });

  test('sends under the one token that is named', async () => {
    const { deployment, send } = running(9);

    await send(WRITE, 'ingest', only('another'));

    expect(deployment.counts.get('ingest another')).toBe(1);
  });
});
