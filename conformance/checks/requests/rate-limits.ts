import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { needed } from '../../transport/prerequisite.js';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { withToken } from '../made-token.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
/** The highest limit that a check uses up. */
const MOST = 500;
const ROUNDS = 3;

type Class = 'ingest' | 'search' | 'admin';
type Send = (target: Target, sending: Sending) => Promise<Answer>;

/** Requests of each class that change nothing. */
const REQUESTS: Record<Class, Record<string, Send>> = {
  ingest: {
    ingest: (target, sending) => target.send('POST', '/api/memories', {}, sending),
    upsert: (target, sending) => target.send('PUT', '/api/memories', {}, sending),
    batch: (target, sending) => target.send('POST', '/api/memories/batch', {}, sending),
  },
  search: {
    search: (target, sending) => target.search({}, sending),
    export: (target, sending) => target.read('export', { limit: 0 }, sending),
    stats: (target, sending) => target.read('stats', { filter: 'x' }, sending),
    changes: (target, sending) => target.read('changes', { limit: 0 }, sending),
    recent: (target, sending) => target.read('recent', { limit: 0 }, sending),
    get: (target, sending) => target.get(UNKNOWN, {}, sending),
  },
  admin: {
    update: (target, sending) => target.patch(UNKNOWN, {}, sending),
    delete: (target, sending) => target.delete(UNKNOWN, sending),
  },
};

const CLASSES = ['ingest', 'search', 'admin'] as const;

function header(answer: Answer, name: string): number {
  return Number(answer.headers.get(name) ?? Number.NaN);
}

function sharesLimit(limitClass: Class): Omit<Check, 'section'> {
  const requests = Object.entries(REQUESTS[limitClass]);
  return {
    id: `rate-limit-class-${limitClass}`,
    level: 'must',
    requirement: `${requests.map(([name]) => name).join(', ')} share one limit per minute.`,
    needs: ['response-headers'],
    async run(target) {
      // Each token has its own limits.
      const { token } = target;
      // The minute may end between two requests, which resets the count.
      let falling = false;
      const seen: string[] = [];
      for (let round = 0; round < ROUNDS && !falling; round++) {
        const answers: Answer[] = [];
        for (const [, send] of requests) answers.push(await send(target, { token }));
        // If all credentials of a user share a limit too, an answer reports the one with less left.
        const told = new Set(answers.map((answer) => header(answer, 'x-ratelimit-limit')));
        const left = answers.map((answer) => header(answer, 'x-ratelimit-remaining'));
        falling = told.size === 1 && left.every((value, at) => at === 0 || value < (left[at - 1] ?? 0));
        seen.push(`${left.join(' ')} of ${[...told].join(' and ')}`);
      }
      expect(falling, `remaining was ${seen.join('; ')}`).toBe(true);
    },
  };
}

function limitedToken({ profile }: Target): string {
  return needed(profile.tokens.rateLimited, 'tokens.rateLimited of the profile');
}

async function useUp(target: Target, limitClass: Class, token = limitedToken(target)): Promise<Answer> {
  const { path, method, body } = UNPACED[limitClass];
  for (let count = 0; count < MOST; count++) {
    const answer = await target.sendUnpaced(method, path, body, { token });
    if (answer.status === 429) return answer;
  }
  return expect.fail(`${MOST} requests in a row were not limited`);
}

/** Requests that are sent without pacing, with a token whose limit may be used up. */
const UNPACED: Record<Class, { method: string; path: string; body?: unknown }> = {
  ingest: { method: 'POST', path: '/api/memories', body: {} },
  search: { method: 'GET', path: `/api/memories/${UNKNOWN}` },
  admin: { method: 'DELETE', path: `/api/memories/${UNKNOWN}` },
};

function limits(limitClass: Class): Omit<Check, 'section'> {
  return {
    id: `rate-limit-${limitClass}-429`,
    level: 'must',
    requirement: `Beyond the limit of the class ${limitClass}, requests get 429, rate_limited and Retry-After.`,
    needs: ['rate-limits'],
    async run(target) {
      const { status, body, headers } = await useUp(target, limitClass);

      expect(status).toBe(429);
      expect(body.code).toBe('rate_limited');
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    },
  };
}

/** Returns a check that every operation of a class is rejected when the limit is used up. */
function limitsEach(limitClass: Class): Omit<Check, 'section'> {
  return {
    id: `operations-limited-${limitClass}-429`,
    level: 'should',
    requirement: `Every operation of the class ${limitClass} answers 429 while its limit is used up.`,
    needs: ['rate-limits', 'management'],
    async run(target) {
      // The minute may end between two requests, which resets the count.
      let others = ['none was asked'];
      for (let round = 0; round < ROUNDS && others.length > 0; round++) {
        await useUp(target, limitClass);
        others = await answeredOtherwise(target, limitClass);
      }
      expect(others, 'operations that answered otherwise').toEqual([]);
    },
  };
}

/** Returns the operations of a class that do not answer 429 to a token whose limit is used up. */
async function answeredOtherwise(target: Target, limitClass: Class): Promise<string[]> {
  const token = limitedToken(target);
  const others: string[] = [];
  for (const { method, path, operationId, takesJson, rateLimitClass, sessionOnly } of target.contract.operations) {
    // A token cannot use an operation for sessions.
    if (rateLimitClass !== limitClass || sessionOnly) continue;
    const url = path.replace(/\{[^}]+\}/g, UNKNOWN);
    const { status } = await target.sendUnpaced(method, url, takesJson ? {} : undefined, { token });
    if (status !== 429) others.push(`${operationId} ${status}`);
  }
  return others;
}

/** The limits per minute (section 8, and 429 in section 7). */
export const rateLimitChecks: readonly Check[] = defineChecks('8', [
  ...CLASSES.map(sharesLimit),
  ...CLASSES.map(limits),
  ...CLASSES.map(limitsEach),
  {
    id: 'rate-limit-values',
    level: 'must',
    requirement: 'Each class has the limit that the operator set.',
    needs: ['rate-limits'],
    async run(target) {
      needed(target.profile.rateLimits, 'rateLimits of the profile');
      const told = target.limits.requestsPerMinute;
      // The one token of its person: what others of a person use changes which limit an answer tells.
      const token = limitedToken(target);
      for (const limitClass of CLASSES) {
        const { path, method, body } = UNPACED[limitClass];
        const answer = await target.sendUnpaced(method, path, body, { token });
        expect(header(answer, 'x-ratelimit-limit'), limitClass).toBe(told[limitClass]);
      }
    },
  },
  {
    id: 'rate-limit-per-minute',
    level: 'must',
    requirement: 'Limits count the requests of sixty seconds.',
    needs: ['response-headers'],
    async run(target) {
      const answer = await target.get(UNKNOWN);

      expect(answer.headers.get('ratelimit-policy')).toMatch(/;w=60\b/);
      const reset = Number(/;t=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1] ?? Number.NaN);
      expect(reset).toBeGreaterThanOrEqual(1);
      expect(reset).toBeLessThanOrEqual(60);
    },
  },
  {
    id: 'rate-limit-per-credential',
    level: 'must',
    requirement: 'Each credential has its own count.',
    needs: ['rate-limits'],
    async run(target) {
      await useUp(target, 'search');

      expect((await target.sendUnpaced('GET', `/api/memories/${UNKNOWN}`)).status).toBe(404);
    },
  },
  {
    id: 'rate-limit-of-a-person',
    level: 'should',
    requirement: 'All tokens of a person share a limit, which two of them use up.',
    needs: ['person-limits', 'management'],
    async run(target) {
      const token = needed(target.profile.tokens.person, 'tokens.person of the profile');
      await withToken(target, ['memory:search'], { token }, (second) =>
        withToken(target, ['memory:search'], { token }, async (third) => {
          // The minute may end between two requests, which resets the count.
          let answer: Answer | undefined;
          for (let round = 0; round < ROUNDS && answer?.status !== 429; round++) {
            for (const used of [token, second.token]) await useUp(target, 'search', used);
            const { method, path } = UNPACED.search;
            answer = await target.sendUnpaced(method, path, undefined, { token: third.token });
          }

          expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
          expect(answer?.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
        }),
      );
    },
  },
  {
    id: 'rate-limit-of-tools',
    level: 'must',
    requirement: 'Tools count against the same limits.',
    needs: ['rate-limits', 'mcp'],
    async run(target) {
      await useUp(target, 'search');
      const token = limitedToken(target);

      const { isError, data } = await target.tools.call({ token, isUnpaced: true }, 'memory_get', { id: UNKNOWN });

      expect({ isError, code: data.code }).toEqual({ isError: true, code: 'rate_limited' });
    },
  },
]);
