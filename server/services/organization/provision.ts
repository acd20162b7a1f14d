import type { Deps } from '../../deps.js';
import { parseEmail } from '../../domain/account/email.js';
import { ABILITIES, mayGrant, organizationAbility, type Role } from '../../domain/account/role.js';
import { PROVISIONED_SUBSCRIPTION } from '../../domain/billing/subscription.js';
import { invalid } from '../../domain/invalid.js';
import type { SubjectKeyType } from '../../domain/memory/memory.js';
import { type ApiToken, DuplicateUserError } from '../../ports/account-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { recordAudit } from '../audit/record-audit.js';
import { changeSettings } from './settings.js';
import { type IssuedToken, makeToken, parseAbilities } from './tokens.js';

/** Options of the operator, who runs the command on the machine with the store. */
export interface ProvisionInput {
  /** Name of a new organization. */
  name?: string | undefined;
  /** Organization to add to. If none has this id, the id of a new one. */
  organizationId?: string | undefined;
  email: string;
  /** Owner by default. */
  role?: Role | undefined;
  /** By default, those of the role. */
  abilities?: readonly string[] | undefined;
  subjectKeyType?: SubjectKeyType | undefined;
  /** The type of subject keys of a new organization, unless `subjectKeyType` is set. */
  newSubjectKeyType?: SubjectKeyType | undefined;
  /** Gives the organization the plan of this price, without the billing provider. */
  priceId?: string | undefined;
}

export interface Provisioned {
  organizationId: string;
  userId: string;
  /** Shown only now: the store keeps its digest. */
  token: string;
}

type ProvisionDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'access'>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Actor of the audit events. */
const OPERATOR = { actor: { type: 'system', id: 'provision' }, source: 'operator' } as const;

/**
 * Creates an organization with its owner, or adds a member to an existing one. In both cases it issues a token for
 * that person, bound to the organization (section 5).
 *
 * @throws {UnprocessableError} with the name of the invalid option
 * @throws {ConflictError} if the organization uses another subject key type
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

  const made = isThere ? await addMember(deps, request) : await createWithOwner(deps, request, input.name);
  const subjectKeyType = input.subjectKeyType ?? (isThere ? undefined : input.newSubjectKeyType);
  await deps.store.transact(organizationId, (unit) => configure(deps, unit, { ...input, subjectKeyType }, made.record));
  return { organizationId, userId: made.record.userId, token: made.token };
}

interface TokenRequest {
  organizationId: string;
  email: string;
  role: Role;
  abilities: readonly string[];
}

async function createWithOwner(
  deps: ProvisionDeps,
  request: TokenRequest,
  name: string | undefined,
): Promise<IssuedToken> {
  const { organizationId, email, role } = request;
  if (name === undefined || name.trim() === '') throw invalid('organization', 'must name the new organization');
  if (role !== 'owner') throw invalid('role', 'must be owner: a new organization needs an owner');
  const { accounts, deletions } = deps.store;
  if ((await deletions.list()).some((deletion) => deletion.organizationId === organizationId))
    throw invalid('organization-id', 'must not be the id of an organization that is still being deleted');
  const organization = { id: organizationId, name, createdAt: deps.now() };
  const create = async () => {
    const owner = (await accounts.findUserByEmail(email)) ?? { id: deps.newId(), email };
    const made = issueTo(deps, request, owner.id);
    await accounts.createOrganization({ organization, owner, token: made.record });
    return made;
  };
  return create().catch((error: unknown) => {
    if (!(error instanceof DuplicateUserError)) throw error;
    // Another organization of the same new person was created at the same moment: the user exists now.
    return create();
  });
}

/** Adds a member and issues a token. A person who is already a member only gets the token. */
async function addMember(deps: ProvisionDeps, request: TokenRequest): Promise<IssuedToken> {
  return deps.store.transact(request.organizationId, async ({ accounts }) => {
    const known = await accounts.findUserByEmail(request.email);
    const user = known ?? { id: deps.newId(), email: request.email };
    if (!known) await accounts.insertUser(user);
    const member = await accounts.findMember(user.id);
    if (member && member.role !== request.role) {
      throw invalid('role', `must be ${member.role}, the current role of this person: an owner can change it`);
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
  if (abilities.length === 0) return ABILITIES.filter((ability) => mayHave(role, ability));
  const granted = parseAbilities(deps, organizationId, abilities);
  const refused = granted.find((ability) => !mayHave(role, ability));
  if (refused !== undefined) throw invalid('ability', `must not be ${refused}, which the role ${role} does not have`);
  return granted;
}

/** Every role may use `settings:admin`, for its own password and tokens. Only owners may pass it on. */
function mayHave(role: Role, ability: string): boolean {
  return ability === 'settings:admin' || mayGrant(role, ability);
}

function parseOrganizationId(text: string | undefined): string | undefined {
  const id = text?.toLowerCase();
  if (id !== undefined && !UUID.test(id)) throw invalid('organization-id', 'must be a UUID');
  return id;
}
