import type { Subscription } from '../billing/subscription.js';
import type { Within } from '../memory/within.js';
import type { Actor, Source } from './audit-event.js';
import type { OrganizationSettings } from './organization.js';
import type { Role } from './role.js';

/** Id of a request, and where it came from. */
export interface Origin {
  requestId: string;
  ip?: string;
  userAgent?: string;
}

/** A principal in an organization, and how its request came. Resolved once, before the request is handled. */
export interface Caller extends Origin {
  organizationId: string;
  /** Role of the user when the request came; undefined if the request has no user. */
  role?: Role;
  /** Settings when the request came; undefined if they were not read with the credential. */
  settings?: OrganizationSettings;
  /** Subscriptions when the request came; undefined if they were not read with the credential. */
  subscriptions?: readonly Subscription[];
  actor: Actor;
  /** Abilities that the credential carries and the role allows. */
  abilities: readonly string[];
  /** Id that rate limits count by: of the token, session or system principal. */
  credentialId: string;
  source: Source;
  /** The memories that a write may change, as its headers name them. Undefined for all. */
  within?: Within;
  /**
   * Has a signal that is aborted if the client disconnects before the response. Reads stop then; writes that have
   * started do not.
   */
  gone?: Gone;
}

/** Makes its signal at the first read, since most requests need none. */
export interface Gone {
  readonly signal: AbortSignal;
}
