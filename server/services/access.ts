import { timingSafeEqual } from 'node:crypto';
import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { digestToken, isWellFormedToken } from '../domain/token.js';
import { ForbiddenError, UnauthenticatedError } from '../errors.js';
import type { ApiToken } from '../ports/account-store.js';

const ORGANIZATION_ABILITY = 'organization:';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type AccessDeps = Pick<Deps, 'store' | 'now'>;

/** The token behind `Authorization: Bearer`. @throws {UnauthenticatedError} the same for every reason */
export async function authenticate({ store, now }: AccessDeps, authorization: string | undefined): Promise<ApiToken> {
  const text = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (text === undefined || !isWellFormedToken(text)) throw new UnauthenticatedError();

  const digest = digestToken(text);
  const token = await store.accounts.findTokenByDigest(digest);
  if (!token || !timingSafeEqual(Buffer.from(token.digest), Buffer.from(digest))) throw new UnauthenticatedError();
  if (token.revokedAt !== undefined) throw new UnauthenticatedError();
  if (token.expiresAt !== undefined && token.expiresAt <= now()) throw new UnauthenticatedError();
  return token;
}

/**
 * The organization that a token acts in (section 5.3): the one it is bound
 * to, the one that `X-Organization-Id` names, or the only one of its user.
 * The user's membership is looked at each time.
 *
 * @throws {ForbiddenError} `organization_forbidden`, the same for unknown and unauthorized organizations
 */
export async function resolveOrganization(
  { store }: Pick<Deps, 'store'>,
  token: ApiToken,
  header: string | undefined,
): Promise<string> {
  const organizationId = boundOrganization(token, header) ?? (await onlyOrganization({ store }, token.userId));
  const role =
    organizationId !== undefined && UUID.test(organizationId)
      ? await store.accounts.findRole(organizationId, token.userId)
      : undefined;
  if (organizationId === undefined || role === undefined) throw organizationForbidden();
  return organizationId;
}

/**
 * The organization in which the service's own principal acts: the one that the
 * operator named, and no other.
 *
 * @throws {ForbiddenError} `organization_forbidden`, the same as for a token
 */
export async function resolveSystemOrganization(
  { store }: Pick<Deps, 'store'>,
  organizationId: string,
  header: string | undefined,
): Promise<string> {
  const isNamed = header === undefined || header.toLowerCase() === organizationId;
  if (!isNamed || !(await store.accounts.settings(organizationId))) throw organizationForbidden();
  return organizationId;
}

/** @throws {ForbiddenError} `ability_denied`, naming the missing ability */
export function assertAbilities(caller: Pick<Caller, 'abilities'>, required: readonly string[]): void {
  if (caller.abilities.includes('*')) return;
  const missing = required.find((ability) => !caller.abilities.includes(ability));
  if (missing !== undefined) {
    throw new ForbiddenError('ability_denied', `This operation needs a token with the ability ${missing}`);
  }
}

function boundOrganization({ abilities }: ApiToken, header: string | undefined): string | undefined {
  const bound = abilities
    .filter((ability) => ability.startsWith(ORGANIZATION_ABILITY))
    .map((ability) => ability.slice(ORGANIZATION_ABILITY.length).toLowerCase());
  const named = header?.toLowerCase();
  if (bound.length === 0) return named;
  const wanted = named ?? (bound.length === 1 ? bound[0] : undefined);
  if (wanted === undefined || !bound.includes(wanted)) throw organizationForbidden();
  return wanted;
}

async function onlyOrganization({ store }: Pick<Deps, 'store'>, userId: string): Promise<string | undefined> {
  const [first, ...others] = await store.accounts.organizationIdsOf(userId);
  return others.length === 0 ? first : undefined;
}

function organizationForbidden(): ForbiddenError {
  return new ForbiddenError('organization_forbidden', 'This token has no access to that organization');
}
