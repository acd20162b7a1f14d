import { expect } from 'vitest';
import { needed } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { TOKENS, withToken } from '../made-token.js';
import { expectRefusal } from '../matchers.js';

async function listedIds(target: Target): Promise<string[]> {
  const { body } = await target.send('GET', TOKENS, undefined, { query: { limit: target.largestPage } });
  return ((body.tokens ?? []) as { id: string }[]).map(({ id }) => id);
}

/** Returns all tokens, revoked ones too. */
async function everyToken(target: Target): Promise<{ id: string }[]> {
  const tokens: { id: string }[] = [];
  let cursor: unknown;
  do {
    const query = { includeRevoked: true, limit: target.largestPage, cursor };
    const { body } = await target.send('GET', TOKENS, undefined, { query });
    tokens.push(...(body.tokens as { id: string }[]));
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return tokens;
}

/** The ability that stands for all others (5.2). */
const wildcardChecks = defineChecks('5.2', [
  {
    id: 'token-wildcard',
    level: 'must',
    requirement: 'A token with the ability * has all abilities.',
    needs: ['management', 'wildcard-tokens'],
    async run(target) {
      await withToken(target, ['*'], {}, async ({ token }) => {
        const { id } = await target.stored({}, { token });

        expect((await target.search({ query: 'memory', limit: 1 }, { token })).status).toBe(200);
        expect((await target.delete(id, { token })).status).toBe(204);
        expect((await target.send('GET', '/api/organization/members', undefined, { token })).status).toBe(200);
      });
    },
  },
]);

/** Tokens and members (5.4), as the operations behind the dashboard show them. */
const managementChecks = defineChecks('5.4', [
  {
    id: 'tokens-work-when-made',
    level: 'must',
    requirement: 'An owner creates tokens with chosen abilities, and a token works immediately.',
    needs: ['management'],
    async run(target) {
      await withToken(target, ['memory:search', 'memory:ingest'], {}, async ({ token }) => {
        expect((await target.read('recent', { limit: 1 }, { token })).status).toBe(200);
        expect((await target.ingest({}, { token })).status).toBe(201);
      });
    },
  },
  {
    id: 'tokens-are-bound',
    level: 'must',
    requirement: 'A token of an organization has it as an ability and works only there.',
    needs: ['management'],
    async run(target) {
      const organizationId = await target.organizationId();
      await withToken(target, ['memory:search'], {}, async ({ token, abilities }) => {
        expect(abilities).toContain(`organization:${organizationId}`);
        expect(await target.organizationId(token)).toBe(organizationId);
      });
    },
  },
  {
    id: 'tokens-are-shown-once',
    level: 'should',
    requirement: 'A token is shown when it is created, and never again.',
    needs: ['management'],
    async run(target) {
      await withToken(target, ['memory:search'], {}, async ({ token, id }) => {
        const listed = await target.send('GET', TOKENS, undefined, { query: { limit: target.largestPage } });

        expect(listed.text).toContain(id);
        expect(listed.text).not.toContain(token);
      });
    },
  },
  {
    id: 'tokens-revoked-are-listed',
    level: 'should',
    requirement: 'Revoked tokens are listed on request, with the time and the user.',
    needs: ['management'],
    async run(target) {
      let revoked: unknown;
      await withToken(target, ['memory:search'], {}, async ({ id }) => {
        revoked = id;
        await target.send('DELETE', `${TOKENS}/${id}`);
      });
      const { user } = (await target.send('GET', '/api/session')).body;

      const tokens = await everyToken(target);

      const found = tokens.find(({ id }) => id === revoked);
      expect(found).toMatchObject({ revokedAt: expect.any(String), revokedBy: (user as { id: string }).id });
      expect(await listedIds(target)).not.toContain(revoked);
    },
  },
  {
    id: 'tokens-show-their-first-use',
    level: 'should',
    requirement: 'A token has no lastUsedAt until its first use.',
    needs: ['management'],
    async run(target) {
      await withToken(target, ['memory:search'], {}, async ({ id, token }) => {
        const used = async () => {
          const { body } = await target.send('GET', TOKENS, undefined, { query: { limit: target.largestPage } });
          return (body.tokens as { id: string; lastUsedAt?: string }[]).find((each) => each.id === id)?.lastUsedAt;
        };
        expect(await used()).toBeUndefined();

        await target.read('recent', { limit: 1 }, { token });

        await target.eventually(used, 'the time of the first use');
      });
    },
  },
  {
    id: 'tokens-are-seen-by-owners',
    level: 'must',
    requirement: 'Owners see the tokens of the organization.',
    needs: ['management'],
    async run(target) {
      await withToken(target, ['memory:search'], {}, async ({ id }) => {
        expect(await listedIds(target)).toContain(id);
      });
    },
  },
  {
    id: 'tokens-are-revoked',
    level: 'must',
    requirement: 'A revoked token is rejected from the next request on.',
    needs: ['management'],
    async run(target) {
      await withToken(target, ['memory:search'], {}, async ({ id, token }) => {
        expect((await target.read('recent', { limit: 1 }, { token })).status).toBe(200);

        const revoked = await target.send('DELETE', `${TOKENS}/${id}`);

        expect(revoked.status).toBe(204);
        expectRefusal(await target.read('recent', { limit: 1 }, { token }), 401);
        expect(await listedIds(target)).not.toContain(id);
      });
    },
  },
  {
    id: 'tokens-of-others-404',
    level: 'must',
    requirement: 'A token of another organization can be neither seen nor revoked.',
    needs: ['management', 'second-organization'],
    async run(target) {
      await withToken(target, ['memory:search'], {}, async ({ id, token }) => {
        const answer = await target.send('DELETE', `${TOKENS}/${id}`, undefined, { token: target.secondToken });

        expectRefusal(answer, 404);
        expect((await target.read('recent', { limit: 1 }, { token })).status).toBe(200);
      });
    },
  },
  {
    id: 'tokens-unknown-ability-422',
    level: 'should',
    requirement: 'An ability that does not exist is rejected with 422.',
    needs: ['management'],
    async run(target) {
      const answer = await target.send('POST', TOKENS, { name: 'x', abilities: ['memory:everything'] });
      if (answer.status === 201) await target.send('DELETE', `${TOKENS}/${String(answer.body.id)}`);

      expectRefusal(answer, 422);
    },
  },
  {
    id: 'tokens-of-a-person-409',
    level: 'should',
    requirement: 'A user has at most as many active tokens in an organization as the deployment allows; more get 409.',
    needs: ['token-cap', 'management'],
    isAlone: true,
    async run(target) {
      const cap = needed(target.profile.tokensPerPerson, 'tokensPerPerson of the profile');
      const token = needed(target.profile.tokens.person, 'tokens.person of the profile');
      const traits = { name: `conformance ${target.runId}`, abilities: ['memory:search'] };
      const make = () => target.send('POST', TOKENS, traits, { token });
      const revoke = (id: string | undefined) => target.send('DELETE', `${TOKENS}/${id}`, undefined, { token });
      const made: string[] = [];
      try {
        let answer = await make();
        for (; answer.status === 201 && made.length < cap; answer = await make()) made.push(String(answer.body.id));

        expectRefusal(answer, 409, 'token_limit_reached');
        expect((await revoke(made.pop())).status).toBe(204);
        const another = await make();
        expect(another.status).toBe(201);
        made.push(String(another.body.id));
      } finally {
        for (const id of made) await revoke(id);
      }
    },
  },
  {
    id: 'management-needs-its-ability',
    level: 'should',
    requirement: 'A token for memories alone may not manage the organization.',
    needs: ['management', 'limited-tokens'],
    async run(target) {
      for (const ability of ['memory:ingest', 'memory:search', 'memory:admin'] as const) {
        const token = await target.limitedToken(ability);
        for (const path of [TOKENS, '/api/organization/settings', '/api/organization/members']) {
          expectRefusal(await target.send('GET', path, undefined, { token }), 403, 'ability_denied');
        }
      }
    },
  },
  {
    id: 'members-are-listed',
    level: 'must',
    requirement: 'Members have one of the roles owner, member and readonly, and every organization has an owner.',
    needs: ['management'],
    async run(target) {
      const { body } = await target.send('GET', '/api/organization/members', undefined, {
        query: { limit: target.largestPage },
      });

      const roles = ((body.members ?? []) as { role: string }[]).map(({ role }) => role);
      expect(roles).toContain('owner');
      for (const role of roles) expect(['owner', 'member', 'readonly']).toContain(role);
    },
  },
]);

/** Tokens and their abilities (5.2, 5.4). */
export const tokenChecks: readonly Check[] = [...wildcardChecks, ...managementChecks];
