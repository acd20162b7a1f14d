import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { ABILITIES, boundOrganizationOf, mayGrant, organizationAbility, WILDCARD } from '../../domain/account/role.js';
import { createToken, describeToken, digestToken } from '../../domain/account/token.js';
import { invalid } from '../../domain/invalid.js';
import { byCreation, type Page, pageOf, withOneMore } from '../../domain/page.js';
import { type Microseconds, parseTimestamp } from '../../domain/timestamp.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../../errors.js';
import type { ApiToken, TokenQuery } from '../../ports/account-store.js';
import { userOf } from '../access/user-of.js';
import { recordAudit } from '../audit/record-audit.js';

/** Tokens of one user in one organization that are neither revoked nor expired. */
const MAX_ACTIVE_TOKENS = 100;

interface TokenInput {
  name: string;
  abilities: readonly string[];
  /** ISO 8601. */
  expiresAt?: string | undefined;
}

/** A new token, shown only now, and its stored record. */
export interface IssuedToken {
  token: string;
  record: ApiToken;
}

/** A token, with the address of the member who revoked it. */
export interface ListedToken extends ApiToken {
  revokedByEmail?: string;
}

/** The fields that the issuer of a token chooses. */
type TokenTraits = Pick<ApiToken, 'organizationId' | 'userId' | 'name' | 'abilities' | 'expiresAt'>;

/** Creates a token and its record, which is not stored yet. */
export function makeToken({ now, newId }: Pick<Deps, 'now' | 'newId'>, traits: TokenTraits): IssuedToken {
  const token = createToken();
  return {
    token,
    record: { id: newId(), ...traits, digest: digestToken(token), ...describeToken(token), createdAt: now() },
  };
}

/**
 * Issues a token for the caller's user, bound to the organization (section 5.4).
 *
 * @throws {UnprocessableError} for an unknown ability, and an expiry in the past
 * @throws {ForbiddenError} `ability_denied` for an ability that the user's role must not pass on
 * @throws {ConflictError} `token_limit_reached`
 */
export async function issueToken(
  deps: Pick<Deps, 'store' | 'now' | 'newId' | 'access'>,
  caller: Caller,
  { name, abilities, expiresAt }: TokenInput,
): Promise<IssuedToken> {
  const { organizationId } = caller;
  const userId = userOf(caller);
  const granted = parseAbilities(deps, organizationId, abilities);
  const until = expiresAt === undefined ? undefined : parseEnd(expiresAt, deps.now());
  const issued = makeToken(deps, {
    organizationId,
    userId,
    name,
    abilities: [...granted, organizationAbility(organizationId)],
    ...(until !== undefined && { expiresAt: until }),
  });

  return deps.store.transact(organizationId, async (unit) => {
    const member = await unit.accounts.findMember(userId);
    const refused = granted.find((ability) => !member || !mayGrant(member.role, ability));
    if (refused !== undefined) {
      throw new ForbiddenError('ability_denied', `Your role cannot give the ability ${refused} to a token`);
    }
    if ((await unit.accounts.countLiveTokens(userId, issued.record.createdAt)) >= MAX_ACTIVE_TOKENS) {
      throw new ConflictError(
        'token_limit_reached',
        `A person has at most ${MAX_ACTIVE_TOKENS} active tokens in an organization: revoke one that is no longer used`,
      );
    }
    await unit.accounts.insertToken(issued.record);
    await recordAudit(deps, unit, caller, {
      action: 'token.create',
      metadata: { targetId: issued.record.id, abilities: granted },
    });
    return issued;
  });
}

/** Returns all tokens of the organization to an owner, and their own to other members (section 5.4). */
export async function listTokens(
  { store }: Pick<Deps, 'store'>,
  caller: Caller,
  query: Omit<TokenQuery, 'userId'>,
): Promise<Page<ListedToken>> {
  const { organizationId, role } = caller;
  const found = await store.accounts.listTokens(organizationId, {
    ...withOneMore(query),
    ...(role !== 'owner' && { userId: userOf(caller) }),
  });
  const page = pageOf(found, query.limit, byCreation);
  const revokers = new Set(role === 'owner' ? page.items.flatMap(({ revokedBy }) => revokedBy ?? []) : []);
  const members = revokers.size === 0 ? [] : await store.accounts.findMembers(organizationId, [...revokers]);
  const emails = new Map(members.map(({ userId, email }) => [userId, email]));
  const items = page.items.map((token) => {
    const revokedByEmail = emails.get(token.revokedBy ?? '');
    return { ...token, ...(revokedByEmail !== undefined && { revokedByEmail }) };
  });
  return { ...page, items };
}

/**
 * Revokes a token: an owner any of the organization, other members their own. It is rejected from the next request
 * on.
 *
 * @throws {NotFoundError} for one that is unknown, foreign, already revoked, or not visible to the caller
 */
export async function revokeToken(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  tokenId: string,
): Promise<void> {
  const userId = userOf(caller);
  await deps.store.transact(caller.organizationId, async (unit) => {
    const token = await unit.accounts.findToken(tokenId);
    const isVisible = token?.userId === userId || (await unit.accounts.findMember(userId))?.role === 'owner';
    if (!token || token.revokedAt !== undefined || !isVisible) throw new NotFoundError();
    await unit.accounts.revokeToken(tokenId, deps.now(), userId);
    await recordAudit(deps, unit, caller, { action: 'token.revoke', metadata: { targetId: tokenId } });
  });
}

/**
 * Returns the abilities of a new token, without duplicates and without the organization that every token is bound to.
 *
 * @throws {UnprocessableError} for an unknown ability
 */
export function parseAbilities(
  { access }: Pick<Deps, 'access'>,
  organizationId: string,
  given: readonly string[],
): string[] {
  const own = organizationAbility(organizationId);
  const known: readonly string[] = access.wildcard ? [...ABILITIES, WILDCARD] : ABILITIES;
  const named = given.filter((ability) => ability.toLowerCase() !== own);
  if (named.length > 0 && named.every((ability) => known.includes(ability))) return [...new Set(named)];
  const ofElsewhere = named.some((ability) => boundOrganizationOf(ability) !== undefined);
  throw invalid(
    'abilities',
    ofElsewhere
      ? 'must not name another organization: a token is bound to the organization of the request'
      : `must be among ${known.join(', ')}, with at least one of them`,
  );
}

function parseEnd(text: string, now: Microseconds): Microseconds {
  const at = parseTimestamp(text, 'expiresAt');
  if (at <= now) throw invalid('expiresAt', 'must be in the future');
  return at;
}
