import type { Deps } from '../../deps.js';
import type { Member } from '../../ports/account-store.js';

const PAGE = 100;

/**
 * Returns the owner of an organization who joined first.
 *
 * @param organizationId if undefined, the only organization of the store
 */
export async function findFirstOwner(
  { store }: Pick<Deps, 'store'>,
  organizationId: string | undefined,
): Promise<{ id: string } | undefined> {
  const { accounts } = store;
  const [only, ...others] = organizationId === undefined ? await accounts.organizationIds() : [organizationId];
  if (only === undefined || others.length > 0) return undefined;
  let page: Member[] = [];
  do {
    const last = page.at(-1);
    page = await accounts.listMembers(only, {
      limit: PAGE,
      ...(last && { after: { at: last.joinedAt, id: last.userId } }),
    });
    const owner = page.find(({ role }) => role === 'owner');
    if (owner) return { id: owner.userId };
  } while (page.length === PAGE);
  return undefined;
}
