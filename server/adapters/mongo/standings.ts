import type { Collection, Document, Filter } from 'mongodb';
import type { OrganizationSettings } from '../../domain/organization.js';
import type { Standing } from '../../ports/account-store.js';
import type { Collections, MembershipDocument } from './collections.js';

type Accounts = Pick<Collections, 'memberships' | 'organizations'>;

/** What is read along with a credential, or by itself. */
interface Places {
  memberships: Pick<MembershipDocument, 'org' | 'role'>[];
  organizations: { _id: string; createdAt: number; settings: OrganizationSettings }[];
}

const ORGANIZATION_FIELDS = { createdAt: 1, settings: 1 } as const;

/**
 * A credential and what its user is in their organizations, or in the one
 * that is given, with one command: every request begins with that.
 */
export async function findWithStandings<Credential extends { _id: string; userId: string }>(
  accounts: Accounts,
  credentials: Collection<Credential>,
  which: Filter<Credential>,
  organizationId: string | undefined,
): Promise<{ credential: Credential; standings: Standing[] } | undefined> {
  const { memberships, organizations } = accounts;
  const own = organizationId === undefined ? [] : [{ $match: { org: organizationId } }];
  const [found] = await credentials
    .aggregate<{ credential: Credential } & Places>([
      { $match: which },
      { $project: { _id: 0, userId: 1, credential: '$$ROOT' } },
      {
        $lookup: {
          from: memberships.collectionName,
          localField: 'userId',
          foreignField: 'userId',
          pipeline: [...own, { $project: { org: 1, role: 1 } }],
          as: 'memberships',
        },
      },
      ofOrganizations(organizations, 'memberships.org'),
    ])
    .toArray();
  return found && { credential: found.credential, standings: toStandings(found) };
}

/** What a user is in their organizations, in the order of their founding, or in the one that is given. */
export async function standingsOf(
  { memberships, organizations }: Accounts,
  userId: string,
  organizationId: string | undefined,
): Promise<Standing[]> {
  const own = { userId, ...(organizationId !== undefined && { org: organizationId }) };
  const found = await memberships
    .aggregate<Pick<MembershipDocument, 'org' | 'role'> & Pick<Places, 'organizations'>>([
      { $match: own },
      { $project: { org: 1, role: 1 } },
      ofOrganizations(organizations, 'org'),
    ])
    .toArray();
  return toStandings({ memberships: found, organizations: found.flatMap((each) => each.organizations) });
}

function ofOrganizations(organizations: Accounts['organizations'], localField: string): Document {
  return {
    $lookup: {
      from: organizations.collectionName,
      localField,
      foreignField: '_id',
      pipeline: [{ $project: ORGANIZATION_FIELDS }],
      as: 'organizations',
    },
  };
}

/** In the order in which the organizations were founded. */
function toStandings({ memberships, organizations }: Places): Standing[] {
  const roles = new Map(memberships.map(({ org, role }) => [org, role]));
  return organizations
    .sort((one, other) => one.createdAt - other.createdAt || (one._id < other._id ? -1 : 1))
    .flatMap(({ _id, settings }) => {
      const role = roles.get(_id);
      return role === undefined ? [] : [{ organizationId: _id, role, settings }];
    });
}
