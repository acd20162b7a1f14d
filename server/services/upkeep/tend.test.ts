import { expect, test } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { aMember, anInvitation, aSession, aSignInLink } from '../../testing/fixtures/accounts.js';
import { tendAll } from './tend.js';

const DAY_US = 24 * 60 * 60 * 1_000_000;
/** Sessions that one turn deletes. */
const MAX_PER_TURN = 1_000;

async function worldAt(now: number) {
  const clock = { now };
  const { deps, caller } = await testWorld({ now: () => clock.now });
  const user = await aMember(deps.store, caller.organizationId);
  return { deps, caller, clock, user, accounts: deps.store.accounts };
}

test('sessions and sign-in links are deleted a day after they ended, and not before', async () => {
  const createdAt = 1_772_442_000_000_000;
  const { deps, clock, user, accounts } = await worldAt(createdAt);
  const times = { createdAt, expiresAt: createdAt + 60_000_000 };
  const [ended, later] = [aSession(user.id, times), aSession(user.id, { ...times, expiresAt: times.expiresAt + 1 })];
  const link = aSignInLink(user.id, times);
  for (const session of [ended, later]) await accounts.createSession(session);
  await accounts.insertSignInLink(link);
  const areStored = async () => [
    (await accounts.findSession(ended.digest)) !== undefined,
    (await accounts.findSignInLink(link.digest)) !== undefined,
    (await accounts.findSession(later.digest)) !== undefined,
  ];

  clock.now = times.expiresAt + DAY_US;
  await tendAll(deps);
  const atADay = await areStored();
  clock.now += 1;
  await tendAll(deps);

  expect(atADay).toEqual([true, true, true]);
  expect(await areStored()).toEqual([false, false, true]);
});

test('invitations are deleted 30 days after they were accepted or revoked, and not before', async () => {
  const { deps, caller, clock, user, accounts } = await worldAt(1_772_442_000_000_000);
  const { organizationId } = caller;
  const of = { organizationId, invitedBy: user.id, createdAt: clock.now, expiresAt: clock.now + 7 * DAY_US };
  const [accepted, revoked, pending] = [anInvitation(of), anInvitation(of), anInvitation(of)];
  await deps.store.transact(organizationId, async (unit) => {
    for (const each of [accepted, revoked, pending]) await unit.accounts.insertInvitation(each);
    await unit.accounts.acceptInvitation(accepted.id, clock.now);
    await unit.accounts.revokeInvitation(revoked.id, clock.now);
  });
  const areStored = async () => {
    const all = [accepted, revoked, pending];
    const found = await Promise.all(all.map(({ digest }) => accounts.findInvitationByDigest(digest)));
    return found.map((invitation) => invitation !== undefined);
  };

  clock.now += 30 * DAY_US;
  await tendAll(deps);
  const atFirst = await areStored();
  clock.now += 1;
  await tendAll(deps);

  expect(atFirst).toEqual([true, true, true]);
  expect(await areStored()).toEqual([false, false, true]);
});

test('one turn deletes a limited number of ended sessions, and the next one the rest', async () => {
  const { deps, caller, clock, accounts } = await worldAt(1_772_442_000_000_000);
  const times = { createdAt: clock.now, expiresAt: clock.now + 1 };
  const users = await Promise.all(Array.from({ length: 50 }, () => aMember(deps.store, caller.organizationId)));
  const sessions = Array.from({ length: MAX_PER_TURN + 9 }, (_, n) => aSession(users[n % users.length]!.id, times));
  await Promise.all(sessions.map((session) => accounts.createSession(session)));
  const countLeft = async () => {
    const found = await Promise.all(sessions.map(({ digest }) => accounts.findSession(digest)));
    return found.filter((session) => session !== undefined).length;
  };
  clock.now += 2 * DAY_US;

  await tendAll(deps);
  const left = [await countLeft()];
  await tendAll(deps);
  left.push(await countLeft());

  expect(left).toEqual([9, 0]);
});

test('a turn that is stopped deletes no more ended sessions', async () => {
  const { deps, clock, user, accounts } = await worldAt(1_772_442_000_000_000);
  const session = aSession(user.id, { createdAt: clock.now, expiresAt: clock.now + 1 });
  await accounts.createSession(session);
  clock.now += 2 * DAY_US;

  await tendAll(deps, AbortSignal.abort());

  expect(await accounts.findSession(session.digest)).toBeDefined();
});
