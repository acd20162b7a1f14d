import type { Actor, Source } from './audit-event.js';

/** Where a request came from. */
export interface Origin {
  requestId: string;
  ip?: string;
  userAgent?: string;
}

/** Who sends a request, to which organization, and how it came: resolved once, before anything else is looked at. */
export interface Caller extends Origin {
  organizationId: string;
  actor: Actor;
  /** Scopes of the contract that the credential carries; `*` carries every one. */
  abilities: readonly string[];
  /** What rate limits count by: the token, session or system principal. */
  credentialId: string;
  source: Source;
}
