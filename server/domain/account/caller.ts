import type { Subscription } from '../billing/subscription.js';
import type { Actor, Source } from './audit-event.js';
import type { OrganizationSettings } from './organization.js';
import type { Role } from './role.js';

/** Where a request came from. */
export interface Origin {
  requestId: string;
  ip?: string;
  userAgent?: string;
}

/** Who sends a request, to which organization, and how it came: resolved once, before anything else is looked at. */
export interface Caller extends Origin {
  organizationId: string;
  /** Of the user at this moment; undefined where no user is behind the request. */
  role?: Role;
  /** Of the organization when the request came; undefined where nobody read them on the way. */
  settings?: OrganizationSettings;
  /** Of the organization when the request came; undefined where nobody read them on the way. */
  subscriptions?: readonly Subscription[];
  actor: Actor;
  /** Scopes of the contract that the credential carries and the role allows. */
  abilities: readonly string[];
  /** What rate limits count by: the token, session or system principal. */
  credentialId: string;
  source: Source;
  /** Aborted when the caller leaves before it has its answer. Reads end then; writes that have begun do not. */
  signal?: AbortSignal;
}
