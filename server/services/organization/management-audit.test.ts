import { describe, expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Role } from '../../domain/account/role.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { aMember } from '../../testing/fixtures/accounts.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { acceptInvitation } from './accept-invitation.js';
import { invite, revokeInvitation } from './invitations.js';
import { changeRole, removeMember } from './members.js';
import { renameOrganization } from './organizations.js';
import { issueToken, revokeToken } from './tokens.js';

interface World {
  deps: Deps;
  caller: Caller;
  memberId: string;
  tokenId: string;
  invitationId: string;
  invitationToken: string;
}

/** Every management action, in the world of `aWorld`. */
const ACTIONS: Record<string, (world: World) => Promise<unknown>> = {
  'organization.update': ({ deps, caller }) => renameOrganization(deps, caller, 'Acme "n" example.test'),
  'token.create': ({ deps, caller }) => issueToken(deps, caller, { name: 'n', abilities: ['memory:search'] }),
  'token.revoke': ({ deps, caller, tokenId }) => revokeToken(deps, caller, tokenId),
  'member.update': ({ deps, caller, memberId }) => changeRole(deps, caller, memberId, 'readonly'),
  'member.remove': ({ deps, caller, memberId }) => removeMember(deps, caller, memberId),
  'invitation.create': ({ deps, caller }) => invite(deps, caller, { email: 'new@example.test', role: 'member' }),
  'invitation.revoke': ({ deps, caller, invitationId }) => revokeInvitation(deps, caller, invitationId),
  'invitation.accept': ({ deps, invitationToken: token }) =>
    acceptInvitation(deps, { requestId: 'r' }, { token, email: 'ben@example.test', password: 'a long secret phrase' }),
};

async function aWorld(): Promise<World> {
  const { deps, caller } = await testWorld();
  const member = await aMember(deps.store, caller.organizationId);
  const { record } = await issueToken(deps, caller, { name: 'n', abilities: ['memory:search'] });
  const { invitation, link = '' } = await invite(deps, caller, { email: 'ben@example.test', role: 'readonly' });
  const invitationToken = link.split('/').pop() ?? '';
  return { deps, caller, memberId: member.id, tokenId: record.id, invitationId: invitation.id, invitationToken };
}

/** Returns everything of accounts that a management action changes. */
async function accountsOf({ deps, caller }: World) {
  const { accounts } = deps.store;
  const page = { limit: 50 };
  return {
    organization: await accounts.findOrganization(caller.organizationId),
    members: (await accounts.listMembers(caller.organizationId, page)).map(({ userId, role }): [string, Role] => [
      userId,
      role,
    ]),
    tokens: (await accounts.listTokens(caller.organizationId, page)).map(({ id }) => id),
    invitations: (await accounts.listInvitations(caller.organizationId, page)).map(({ id }) => id),
  };
}

describe.each(Object.entries(ACTIONS))('%s', (action, act) => {
  test('is audited with its actor, and without names or addresses', async () => {
    const world = await aWorld();
    const recorded: unknown[] = [];
    const store = recordingStore(world.deps, (event) => recorded.push(event));

    await act({ ...world, deps: { ...world.deps, store } });

    expect(recorded).toMatchObject([{ action, actor: { userId: expect.any(String) } }]);
    expect(JSON.stringify(recorded)).not.toMatch(/example\.test|msk_|"n"/);
  });

  test('is undone if it cannot be audited', async () => {
    const world = await aWorld();
    const before = await accountsOf(world);
    const store = recordingStore(world.deps, () => {
      throw new Error('the event cannot be stored');
    });

    await expect(act({ ...world, deps: { ...world.deps, store } })).rejects.toThrow('the event cannot be stored');

    expect(await accountsOf(world)).toEqual(before);
    expect(await world.deps.store.accounts.findUserByEmail('ben@example.test')).toBeUndefined();
  });
});

/** Returns a store that passes its audit events to `record`, which may reject them. */
function recordingStore({ store }: Deps, record: (event: unknown) => void): Deps['store'] {
  return replaceMethods(store, {
    transact: (organizationId, work) =>
      store.transact(organizationId, (unit) =>
        work(
          replaceMethods(unit, {
            recordAudit: async (event) => {
              record(event);
              await unit.recordAudit(event);
            },
          }),
        ),
      ),
  });
}
