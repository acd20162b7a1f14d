import type { Actor, Source } from './audit-event.js';

/** Who sends a request, to which organization, and how it came: resolved once, before anything else is looked at. */
export interface Caller {
  organizationId: string;
  actor: Actor;
  /** Scopes of the contract that the credential carries; `*` carries every one. */
  abilities: readonly string[];
  /** What rate limits count by: the token, session or system principal. */
  credentialId: string;
  requestId: string;
  source: Source;
  ip?: string;
  userAgent?: string;
}
