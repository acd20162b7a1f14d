import type { ClientSession } from 'mongodb';
import type { PageQuery } from '../../../domain/page.js';
import { type Member, type Membership, OwnedLimitError } from '../../../ports/account-store.js';
import type { Collections, MembershipDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import { beyond, limitedTo } from '../engine/paging.js';

type Members = Pick<Collections, 'memberships' | 'users'>;

export function toMembership(
  org: string,
  { userId, role, joinedAt }: Pick<Member, 'userId' | 'role' | 'joinedAt'>,
): MembershipDocument {
  return { _id: compoundId(org, userId), org, userId, role, joinedAt };
}

export async function findMember(
  { memberships, users }: Members,
  org: string,
  userId: string,
  session: ClientSession,
): Promise<Member | undefined> {
  const membership = await memberships.findOne({ _id: compoundId(org, userId) }, { session });
  const user = membership && (await users.findOne({ _id: userId }, { session, projection: { email: 1 } }));
  return user ? toMember(membership, user.email) : undefined;
}

/**
 * Writes to the user, so that of two foundings at the same time one waits for the other.
 *
 * @throws {OwnedLimitError}
 */
export async function assertMayOwn(
  { memberships, users }: Members,
  userId: string,
  maxOwned: number,
  session: ClientSession,
): Promise<void> {
  await users.updateOne({ _id: userId }, { $inc: { foundings: 1 } }, { session });
  if ((await memberships.countDocuments({ userId, role: 'owner' }, { session })) >= maxOwned)
    throw new OwnedLimitError();
}

/** Returns those of the users who are members, in any order. */
export async function findMembers(members: Members, org: string, userIds: readonly string[]): Promise<Member[]> {
  const ids = userIds.map((userId) => compoundId(org, userId));
  return named(members, await members.memberships.find({ _id: { $in: ids } }).toArray());
}

/** Lists members in the order of joining. Within an organization, membership ids sort like user ids. */
export async function listMembers(members: Members, org: string, { after, limit }: PageQuery): Promise<Member[]> {
  const position = after && { at: after.at, id: compoundId(org, after.id) };
  const filter = { $and: [{ org }, ...beyond('joinedAt', 1, position)] };
  const options = { sort: { joinedAt: 1, _id: 1 }, ...limitedTo(limit) } as const;
  const found = await members.memberships.find(filter, options).toArray();
  return named(members, found);
}

/** Returns members with the addresses of their users, in the order of the memberships. */
async function named({ users }: Members, memberships: readonly MembershipDocument[]): Promise<Member[]> {
  const ids = memberships.map(({ userId }) => userId);
  const found = await users.find({ _id: { $in: ids } }, { projection: { email: 1 } }).toArray();
  const emails = new Map(found.map(({ _id, email }) => [_id, email]));
  return memberships.map((membership) => toMember(membership, emails.get(membership.userId) ?? ''));
}

/** Returns the memberships of a user, in the order in which the organizations were created. */
export async function membershipsOf(
  { memberships, organizations }: Pick<Collections, 'memberships' | 'organizations'>,
  userId: string,
): Promise<Membership[]> {
  const organization = { from: organizations.collectionName, localField: 'org', foreignField: '_id', as: 'found' };
  return memberships
    .aggregate<Membership>([
      { $match: { userId } },
      { $lookup: organization },
      { $unwind: '$found' },
      { $sort: { 'found.createdAt': 1, org: 1 } },
      { $project: { _id: 0, organizationId: '$org', name: '$found.name', role: 1 } },
    ])
    .toArray();
}

function toMember({ userId, role, joinedAt }: MembershipDocument, email: string): Member {
  return { userId, email, role, joinedAt };
}
