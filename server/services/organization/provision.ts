import type { Deps } from '../../deps.js';
import { parseEmail } from '../../domain/account/email.js';
import { ABILITIES, mayGrant, organizationAbility, type Role } from '../../domain/account/role.js';
import { invalid } from '../../domain/invalid.js';
import type { SubjectKeyType } from '../../domain/memory/memory.js';
import { type ApiToken, DuplicateUserError } from '../../ports/account-store.js';
import type { UnitOfWork } from '../../ports/store.js';
import { recordAudit } from '../audit/record-audit.js';
import { changeSettings } from './settings.js';
import { type IssuedToken, makeToken, parseAbilities } from './tokens.js';

/** What the operator asks for, at the shell of the machine that has the store. */
export interface ProvisionInput {
  /** Of a new organization. */
  name?: string | undefined;
  /** An organization to add to; of a new one where there is none with this id. */
  organizationId?: string | undefined;
  email: string;
  /** Owner, unless said otherwise. */
  role?: Role | undefined;
  /** Those of the role, unless said otherwise. */
  abilities?: readonly string[] | undefined;
  subjectKeyType?: SubjectKeyType | undefined;
  /** The organization is taken to pay this price from now on, without the billing provider. */
  priceId?: string | undefined;
}

export interface Provisioned {
  organizationId: string;
  userId: string;
  /** Known only now: the store keeps its digest. */
  token: string;
}

type ProvisionDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'access'>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The subscription that an operator gives, beside those of the billing provider. */
const PROVISIONED_SUBSCRIPTION = 'provisioned';

/** Who acts, in the audit log. */
const OPERATOR = { actor: { type: 'system', id: 'provision' }, source: 'operator' } as const;

/**
 * Makes an organization with its owner, or a member of an organization that
 * is there, and in either case a token for that person, bound to it (part 5).
 *
 * @throws {UnprocessableError} naming the option at fault
 * @throws {ConflictError} when the subject key type is in use and another one is asked for
 */
export async function provision(deps: ProvisionDeps, input: ProvisionInput): Promise<Provisioned> {
  const email = parseEmail(input.email, 'owner');
  const organizationId = parseOrganizationId(input.organizationId) ?? deps.newId();
  const isThere = (await deps.store.accounts.settings(organizationId)) !== undefined;
  const role = input.role ?? 'owner';
  const request: TokenRequest = {
    organizationId,
    email,
    role,
    abilities: abilitiesOf(deps, organizationId, role, input),
  };

  const made = isThere ? await addMember(deps, request) : await found(deps, request, input.name);
  await deps.store.transact(organizationId, (unit) => configure(deps, unit, input, made.record));
  return { organizationId, userId: made.record.userId, token: made.token };
}

interface TokenRequest {
  organizationId: string;
  email: string;
  role: Role;
  abilities: readonly string[];
}

async function found(deps: ProvisionDeps, request: TokenRequest, name: string | undefined): Promise<IssuedToken> {
  const { organizationId, email, role } = request;
  if (name === undefined || name.trim() === '') throw invalid('organization', 'must name the new organization');
  if (role !== 'owner') throw invalid('role', 'must be owner: a new organization begins with its owner');
  const { accounts } = deps.store;
  const organization = { id: organizationId, name, createdAt: deps.now() };
  const create = async () => {
    const owner = (await accounts.findUserByEmail(email)) ?? { id: deps.newId(), email };
    const made = issueTo(deps, request, owner.id);
    await accounts.createOrganization({ organization, owner, token: made.record });
    return made;
  };
  return create().catch((error: unknown) => {
    if (!(error instanceof DuplicateUserError)) throw error;
    // Another organization of the same new person was made at the same moment: now they are known.
    return create();
  });
}

/** The person may be a member already; then only the token is new. */
async function addMember(deps: ProvisionDeps, request: TokenRequest): Promise<IssuedToken> {
  return deps.store.transact(request.organizationId, async ({ accounts }) => {
    const known = await accounts.findUserByEmail(request.email);
    const user = known ?? { id: deps.newId(), email: request.email };
    if (!known) await accounts.insertUser(user);
    const member = await accounts.findMember(user.id);
    if (member && member.role !== request.role) {
      throw invalid('role', `must be ${member.role}, which this person is: owners change roles`);
    }
    if (!member) await accounts.insertMember({ userId: user.id, role: request.role, joinedAt: deps.now() });
    const made = issueTo(deps, request, user.id);
    await accounts.insertToken(made.record);
    return made;
  });
}

function issueTo(
  deps: Pick<Deps, 'now' | 'newId'>,
  { organizationId, abilities }: TokenRequest,
  userId: string,
): IssuedToken {
  const bound = [...abilities, organizationAbility(organizationId)];
  return makeToken(deps, { organizationId, userId, name: 'provisioned', abilities: bound });
}

async function configure(
  deps: ProvisionDeps,
  unit: UnitOfWork,
  { subjectKeyType, priceId }: ProvisionInput,
  { id: tokenId, abilities }: ApiToken,
): Promise<void> {
  if (subjectKeyType !== undefined) await changeSettings(unit, { subjectKeyType });
  if (priceId !== undefined) {
    const now = deps.now();
    await unit.subscriptions.save({
      id: PROVISIONED_SUBSCRIPTION,
      status: 'active',
      priceIds: [priceId],
      anchorAt: now,
      cancelAtPeriodEnd: false,
      changedAt: now,
      changeRank: 1,
    });
  }
  await recordAudit(deps, unit, OPERATOR, {
    action: 'token.create',
    metadata: { targetId: tokenId, abilities: [...abilities] },
  });
}

function abilitiesOf(
  deps: ProvisionDeps,
  organizationId: string,
  role: Role,
  { abilities = [] }: ProvisionInput,
): readonly string[] {
  if (abilities.length === 0) return ABILITIES.filter((ability) => mayGrant(role, ability));
  const granted = parseAbilities(deps, organizationId, abilities);
  const refused = granted.find((ability) => !mayGrant(role, ability));
  if (refused !== undefined) throw invalid('ability', `must not be ${refused}, which the role ${role} does not have`);
  return granted;
}

function parseOrganizationId(text: string | undefined): string | undefined {
  const id = text?.toLowerCase();
  if (id !== undefined && !UUID.test(id)) throw invalid('organization-id', 'must be a UUID');
  return id;
}
