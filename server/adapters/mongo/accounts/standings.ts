import type { Collection, Document, Filter } from 'mongodb';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Standing } from '../../../ports/account-store.js';
import type { Collections, MembershipDocument, SubscriptionDocument } from '../engine/collections.js';

/** The documents that are read with a credential or alone. */
interface Places {
  memberships: Pick<MembershipDocument, 'org' | 'role'>[];
  organizations: { _id: string; createdAt: number; settings: OrganizationSettings }[];
  subscriptions?: Pick<SubscriptionDocument, 'org' | 'subscription'>[];
}

/** Reads the standings of users in their organizations. */
export class Standings {
  readonly #collections: Pick<Collections, 'memberships' | 'organizations' | 'subscriptions'>;
  readonly #withSubscriptions: boolean;

  /** @param withSubscriptions also reads subscriptions, for a service whose every request needs them */
  constructor(
    collections: Pick<Collections, 'memberships' | 'organizations' | 'subscriptions'>,
    { withSubscriptions }: { withSubscriptions: boolean },
  ) {
    this.#collections = collections;
    this.#withSubscriptions = withSubscriptions;
  }

  /**
   * Returns a credential and its user's standings, in all organizations or in the given one. Uses one command, since
   * every request begins with this.
   */
  async ofCredential<Credential extends { _id: string; userId: string }>(
    credentials: Collection<Credential>,
    which: Filter<Credential>,
    organizationId: string | undefined,
  ): Promise<{ credential: Credential; standings: Standing[] } | undefined> {
    const own = organizationId === undefined ? [] : [{ $match: { org: organizationId } }];
    const [found] = await credentials
      .aggregate<{ credential: Credential } & Places>([
        { $match: which },
        { $project: { _id: 0, userId: 1, credential: '$$ROOT' } },
        {
          $lookup: {
            from: this.#collections.memberships.collectionName,
            localField: 'userId',
            foreignField: 'userId',
            pipeline: [...own, { $project: { org: 1, role: 1 } }],
            as: 'memberships',
          },
        },
        ...this.#ofOrganizations('memberships.org'),
      ])
      .toArray();
    return found && { credential: found.credential, standings: toStandings(found) };
  }

  /** Returns the standings of a user, in all organizations by creation or in the given one. */
  async of(userId: string, organizationId: string | undefined): Promise<Standing[]> {
    const own = { userId, ...(organizationId !== undefined && { org: organizationId }) };
    const found = await this.#collections.memberships
      .aggregate<MembershipDocument & Pick<Places, 'organizations' | 'subscriptions'>>([
        { $match: own },
        ...this.#ofOrganizations('org'),
      ])
      .toArray();
    return toStandings({
      memberships: found,
      organizations: found.flatMap(({ organizations }) => organizations),
      ...(this.#withSubscriptions && { subscriptions: found.flatMap(({ subscriptions = [] }) => subscriptions) }),
    });
  }

  #ofOrganizations(localField: string): Document[] {
    const { organizations, subscriptions } = this.#collections;
    const lookup = (from: string, foreignField: string, fields: Document, as: keyof Places) => ({
      $lookup: { from, localField, foreignField, pipeline: [{ $project: fields }], as },
    });
    return [
      lookup(organizations.collectionName, '_id', { createdAt: 1, settings: 1 }, 'organizations'),
      ...(this.#withSubscriptions
        ? [lookup(subscriptions.collectionName, 'org', { org: 1, subscription: 1 }, 'subscriptions')]
        : []),
    ];
  }
}

/** Sorts standings in the order in which the organizations were created. */
function toStandings({ memberships, organizations, subscriptions }: Places): Standing[] {
  const roles = new Map(memberships.map(({ org, role }) => [org, role]));
  return organizations
    .sort((one, other) => one.createdAt - other.createdAt || (one._id < other._id ? -1 : 1))
    .flatMap(({ _id, settings }) => {
      const role = roles.get(_id);
      if (role === undefined) return [];
      const own = subscriptions?.filter(({ org }) => org === _id).map(({ subscription }) => subscription);
      return [{ organizationId: _id, role, settings, ...(own && { subscriptions: own }) }];
    });
}
