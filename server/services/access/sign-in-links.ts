import type { Deps } from '../../deps.js';
import type { Origin } from '../../domain/account/caller.js';
import { createSecret, digestSecret, isWellFormedSecret } from '../../domain/account/session.js';
import { LINK_LIFETIME_US, signInLinkOf } from '../../domain/account/sign-in-link.js';
import { rememberPlace } from '../../domain/account/sign-in-places.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { SignInLinkInvalidError } from '../../errors.js';
import type { Membership, User } from '../../ports/account-store.js';
import type { SignInLink } from '../../ports/sign-in-link-store.js';
import { type Auditable, recordAudit } from '../audit/record-audit.js';
import { assertReachesAll } from './access.js';
import { admitAddress, placesOf } from './attempts.js';
import { actingAs, type Principal } from './principal.js';
import { makeSession, type SignedIn, type SignInOrigin } from './session-start.js';

type LinkDeps = Pick<Deps, 'store' | 'now' | 'newId'>;
type OpenDeps = LinkDeps & Pick<Deps, 'rateLimiter' | 'secretBox'>;

/** A link as its person gets it. */
export interface IssuedLink {
  link: string;
  expiresAt: Microseconds;
}

/**
 * Creates a link that signs in the principal's own user.
 *
 * @throws {ForbiddenError} `organization_forbidden` for a token that is bound, if its user belongs to other
 *   organizations: the session would reach them
 */
export async function createSignInLink(
  deps: LinkDeps & Pick<Deps, 'access'>,
  principal: Principal,
  origin: Origin,
): Promise<IssuedLink> {
  const { userId } = principal;
  const memberships = await deps.store.accounts.membershipsOf(userId);
  assertReachesAll(principal, memberships);
  const publicUrl = deps.access.publicUrl;
  return issueLink(deps, { ...actingAs(principal), ...origin }, { userId, publicUrl, setsPassword: false });
}

interface LinkTraits {
  userId: string;
  /** Start of the link. */
  publicUrl: string | undefined;
  setsPassword: boolean;
  /** Default: 15 minutes. */
  lifetimeUs?: Microseconds;
}

/** Creates a link for a user, and records that in each organization that it opens. */
export async function issueLink(
  deps: LinkDeps,
  by: Auditable,
  { userId, publicUrl, setsPassword, lifetimeUs = LINK_LIFETIME_US }: LinkTraits,
): Promise<IssuedLink> {
  const { code, link } = makeLink(deps, { userId, setsPassword, lifetimeUs });
  await deps.store.accounts.insertSignInLink(link);
  await recordLink(deps, by, userId);
  return { link: signInLinkOf(publicUrl, code), expiresAt: link.expiresAt };
}

/** Makes a link, which is not stored yet, and its code. */
export function makeLink(
  { now }: Pick<Deps, 'now'>,
  { userId, setsPassword, lifetimeUs }: Pick<SignInLink, 'userId' | 'setsPassword'> & { lifetimeUs: Microseconds },
): { code: string; link: SignInLink } {
  const code = createSecret();
  const createdAt = now();
  return {
    code,
    link: { digest: digestSecret(code), userId, createdAt, expiresAt: createdAt + lifetimeUs, setsPassword },
  };
}

/** Records a new link in each organization that it opens. */
export async function recordLink(deps: LinkDeps, by: Auditable, userId: string): Promise<void> {
  const { accounts } = deps.store;
  for (const { organizationId } of await accounts.membershipsOf(userId)) {
    await deps.store.transact(organizationId, (unit) =>
      recordAudit(deps, unit, by, { action: 'sign_in_link.create', metadata: { targetId: userId } }),
    );
  }
}

interface LinkPreview {
  user: User;
  organizations: readonly Membership[];
  link: SignInLink;
}

/**
 * Returns whom a link signs in. The link stays valid.
 *
 * @throws {SignInLinkInvalidError} the same for wrong, used and expired codes
 */
export async function previewSignInLink(deps: OpenDeps, code: string, { ip }: SignInOrigin): Promise<LinkPreview> {
  await admitAddress(deps, ip);
  const { link, user } = await findValid(deps, code);
  return { link, user, organizations: await deps.store.accounts.membershipsOf(user.id) };
}

/**
 * Starts a session by a link, once.
 *
 * @throws {SignInLinkInvalidError} the same for wrong, used and expired codes
 */
export async function redeemSignInLink(deps: OpenDeps, code: string, origin: SignInOrigin): Promise<SignedIn> {
  await admitAddress(deps, origin.ip);
  return redeem(deps, await findValid(deps, code), origin);
}

/** A link that works now, and its user. */
interface Valid {
  link: SignInLink;
  user: User;
}

/** @throws {SignInLinkInvalidError} */
export async function findValid({ store, now }: Pick<Deps, 'store' | 'now'>, code: string): Promise<Valid> {
  const link = isWellFormedSecret(code) ? await store.accounts.findSignInLink(digestSecret(code)) : undefined;
  const user = link && now() < link.expiresAt ? await store.accounts.findUser(link.userId) : undefined;
  if (!link || !user) throw new SignInLinkInvalidError();
  return { link, user };
}

/** @throws {SignInLinkInvalidError} */
export async function redeem(
  deps: Pick<Deps, 'store' | 'now' | 'newId' | 'secretBox'>,
  { link, user }: Valid,
  origin: SignInOrigin,
  passwordHash?: string,
): Promise<SignedIn> {
  const signedIn = makeSession(deps, user.id, origin);
  const { session } = signedIn.principal;
  const places = placesOf(deps, origin.ip, user.email);
  const signInPlaces = rememberPlace(user.signInPlaces ?? [], places, session.createdAt);
  // Another request may have used the link in the meantime.
  const isRedeemed = await deps.store.accounts.redeemSignInLink(link.digest, {
    session,
    signInPlaces,
    ...(passwordHash !== undefined && { passwordHash }),
  });
  if (!isRedeemed) throw new SignInLinkInvalidError();
  return signedIn;
}
